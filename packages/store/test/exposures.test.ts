import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { Exposures, type NewExposure } from "../src/Exposures.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { replica } from "./replica.ts"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

const hold = Duration.hours(72)
const often = { address: Duration.hours(1), service: Duration.hours(1) }

const exposure = (id: string, change: Partial<NewExposure> = {}): NewExposure => ({
  exposure_id: id,
  project_id: "acme",
  name: id,
  hostname: `${id}.edge.example`,
  service: "web",
  address: null,
  port: 80,
  domain: null,
  ...change
})

/** An exposure with a domain, claimed with a challenge that is named after the exposure. */
const claiming = Effect.fnUntraced(function* (
  id: string,
  project: string,
  { domain = "shop.example", overlooking }: { readonly domain?: string; readonly overlooking?: string } = {}
) {
  const exposures = yield* Exposures
  return yield* exposures.insert(exposure(id, { project_id: project, domain }), {
    project_id: project,
    challenge: `challenge-${id}`,
    hold,
    overlooking
  })
})

/** What cannot be without. */
const claimed = Effect.fnUntraced(function* (
  id: string,
  project: string,
  options: Parameters<typeof claiming>[2] = {}
) {
  const made = yield* claiming(id, project, options)
  if (typeof made === "string") return yield* Effect.die(`${id}: ${made}`)
  return made
})

const isHeld = (entry: { readonly held_until: DateTime.Utc | null; readonly claimed_at: DateTime.Utc | null }) =>
  entry.held_until === null || entry.claimed_at === null
    ? undefined
    : Duration.toHours(DateTime.distance(entry.claimed_at, entry.held_until))

storiesOf("Exposures", (story) => {
  story(
    "a name is unique in a tenant, and free again when its removal begins",
    Effect.fnUntraced(function* () {
      const exposures = yield* Exposures
      const made = yield* exposures.insert(exposure("edge-1", { name: "web" }), undefined)
      if (typeof made === "string") return yield* Effect.die(made)
      assert.deepInclude(made, {
        ...exposure("edge-1", { name: "web" }),
        lost: false,
        removing: null,
        challenge: null,
        verified_at: null
      })
      assert.strictEqual(yield* exposures.insert(exposure("edge-2", { name: "web" }), undefined), "name_taken")
      assert.isObject(yield* exposures.insert(exposure("edge-3", { name: "web", project_id: "globex" }), undefined))
      yield* exposures.markRemoving("edge-1", "deletion", Duration.zero)
      assert.isObject(yield* exposures.insert(exposure("edge-4", { name: "web" }), undefined))
      assert.deepStrictEqual(
        (yield* exposures.list("acme")).map((_) => [_.exposure_id, _.removing]),
        [
          ["edge-1", "deletion"],
          ["edge-4", null]
        ]
      )
      assert.isUndefined(yield* exposures.find("edge\0"))
      assert.isUndefined(yield* exposures.find("edge-2"))
      assert.strictEqual((yield* exposures.find("edge-1", "acme"))?.exposure_id, "edge-1")
      assert.isUndefined(yield* exposures.find("edge-1", "globex"))
      assert.deepStrictEqual(yield* exposures.known(["edge-1", "edge-2", "edge-4"]), new Set(["edge-1", "edge-4"]))
      assert.deepStrictEqual(yield* exposures.known([]), new Set())
      yield* exposures.drop("edge-1")
      yield* exposures.drop("edge-1")
      yield* exposures.removeOfProject("acme")
      assert.deepStrictEqual(yield* exposures.list("acme"), [])
      assert.lengthOf(yield* exposures.list("globex"), 1)
    })
  )

  story(
    "the first claim of a domain excludes others for its hold, and no longer",
    Effect.fnUntraced(function* () {
      const first = yield* claimed("edge-1", "acme")
      assert.strictEqual(isHeld(first), 72)
      assert.strictEqual(yield* claiming("edge-2", "globex"), "claimed")
      assert.strictEqual(yield* claiming("edge-3", "acme"), "in_use")
      assert.isObject(yield* claiming("edge-4", "globex", { domain: "www.shop.example" }))
      yield* pass(Duration.subtract(hold, margin))
      assert.strictEqual(yield* claiming("edge-2", "globex"), "claimed")
      yield* pass(Duration.times(margin, 2))
      // Both may prove it now, and a third one may come; none of them keeps anybody out.
      assert.isUndefined(isHeld(yield* claimed("edge-2", "globex")))
      assert.isUndefined(isHeld(yield* claimed("edge-5", "initech")))
    })
  )

  story(
    "after giving up or losing a claim a tenant claims without a hold, for thirty days",
    Effect.fnUntraced(function* () {
      const exposures = yield* Exposures
      yield* claimed("edge-1", "acme")
      yield* exposures.markRemoving("edge-1", "deletion", Duration.zero)
      assert.strictEqual(yield* claiming("edge-2", "acme"), "busy")
      assert.strictEqual(yield* claiming("edge-2", "globex"), "claimed")
      yield* exposures.drop("edge-1")
      const again = yield* claimed("edge-2", "acme")
      assert.isUndefined(isHeld(again))
      assert.strictEqual(again.challenge, "challenge-edge-2")
      assert.isUndefined(isHeld(yield* claimed("edge-3", "globex")))
      yield* exposures.drop("edge-2")
      yield* exposures.drop("edge-3")
      yield* pass(Duration.subtract(Duration.days(30), margin))
      yield* exposures.prune
      assert.isUndefined(isHeld(yield* claimed("edge-4", "acme")))
      yield* exposures.drop("edge-4")
      yield* pass(Duration.sum(Duration.days(30), margin))
      yield* exposures.prune
      assert.strictEqual(isHeld(yield* claimed("edge-5", "globex")), 72)
    })
  )

  story(
    "a failed creation's claim counts as never made, also when it is claimed again meanwhile",
    Effect.fnUntraced(function* () {
      const exposures = yield* Exposures
      const first = yield* claimed("edge-1", "acme")
      yield* exposures.markRemoving("edge-1", "rollback", Duration.zero)
      yield* exposures.markRemoving("edge-1", "deletion", Duration.zero)
      const second = yield* claimed("edge-2", "acme")
      assert.deepStrictEqual(second.held_until, first.held_until)
      assert.isNull((yield* exposures.find("edge-1"))?.challenge ?? null)
      yield* exposures.drop("edge-1")
      assert.strictEqual((yield* exposures.find("edge-2"))?.challenge, "challenge-edge-2")
      yield* exposures.markRemoving("edge-2", "rollback", Duration.zero)
      yield* exposures.drop("edge-2")
      assert.strictEqual(isHeld(yield* claimed("edge-3", "globex")), 72)
    })
  )

  story(
    "a proven domain is its tenant's alone until the exposure is dropped",
    Effect.fnUntraced(function* () {
      const exposures = yield* Exposures
      const first = yield* claimed("edge-1", "acme")
      yield* pass(Duration.sum(hold, margin))
      const second = yield* claimed("edge-2", "globex")
      assert.deepStrictEqual(yield* exposures.prove(second, undefined), { displaced: undefined })
      assert.isNotNull((yield* exposures.find("edge-2"))?.verified_at)
      // Again is nothing new.
      assert.deepStrictEqual(yield* exposures.prove(second, undefined), { displaced: undefined })
      assert.strictEqual(yield* exposures.prove(first, undefined), "claimed")
      assert.strictEqual(yield* exposures.prove(first, "challenge-of-somebody-else"), "claimed")
      assert.strictEqual(yield* claiming("edge-3", "initech"), "claimed")
      assert.strictEqual(yield* exposures.challengeOfOther("shop.example", "acme"), "challenge-edge-2")
      assert.isUndefined(yield* exposures.challengeOfOther("shop.example", "globex"))
      yield* exposures.markRemoving("edge-2", "deletion", Duration.zero)
      assert.strictEqual(yield* claiming("edge-3", "initech"), "claimed")
      yield* exposures.drop("edge-2")
      assert.isObject(yield* claiming("edge-3", "initech"))
      assert.strictEqual(yield* exposures.prove(second, undefined), "gone")
    })
  )

  story(
    "a domain that its holder no longer proves passes to the prover, and the holder's row says so",
    Effect.fnUntraced(function* () {
      const exposures = yield* Exposures
      yield* exposures.prove(yield* claimed("edge-1", "acme"), undefined)
      yield* pass(Duration.minutes(5))
      yield* exposures.claimDue(10, often)
      const bought = yield* claimed("edge-2", "globex", { overlooking: "challenge-edge-1" })
      assert.isUndefined(isHeld(bought))
      assert.strictEqual(yield* exposures.prove(bought, undefined), "claimed")
      const outcome = yield* exposures.prove(bought, "challenge-edge-1")
      if (typeof outcome === "string") return yield* Effect.die(outcome)
      assert.deepInclude(outcome.displaced, { exposure_id: "edge-1", verified_at: null, held_until: null })
      assert.isNotNull((yield* exposures.find("edge-2"))?.verified_at)
      // It is looked at soon, and not in an hour.
      assert.deepStrictEqual(
        (yield* exposures.claimDue(10, often)).map((_) => _.exposure_id),
        ["edge-1"]
      )
    })
  )

  story(
    "each is due after its interval, the oldest first, and not before its creation can be over",
    Effect.fnUntraced(function* () {
      const exposures = yield* Exposures
      const minute = { address: Duration.minutes(2), service: Duration.minutes(1) }
      const due = (limit = 10) =>
        Effect.map(exposures.claimDue(limit, minute), (all) => all.map((_) => _.exposure_id).toSorted())
      yield* exposures.insert(exposure("edge-1"), undefined)
      yield* exposures.insert(exposure("edge-2"), undefined)
      yield* exposures.insert(exposure("edge-3", { service: null, address: "203.0.113.9" }), undefined)
      assert.deepStrictEqual(yield* due(), [])
      yield* pass(Duration.seconds(6))
      assert.deepStrictEqual(yield* due(1), ["edge-1"])
      assert.deepStrictEqual(yield* due(), ["edge-2", "edge-3"])
      assert.deepStrictEqual(yield* due(), [])
      yield* exposures.markRemoving("edge-2", "rollback", Duration.zero)
      yield* exposures.setLost("edge-1", true)
      assert.deepStrictEqual(yield* due(), ["edge-2"])
      yield* pass(Duration.seconds(61))
      assert.deepStrictEqual(
        (yield* exposures.claimDue(10, minute)).map((_) => [_.exposure_id, _.lost, _.removing]),
        [
          ["edge-1", true, null],
          ["edge-2", false, "rollback"]
        ]
      )
    })
  )
})

postgresStoriesOf("Exposures of many replicas", (story) => {
  story(
    "of many that claim or prove one name at once, one succeeds",
    Effect.fnUntraced(function* () {
      const exposures = yield* Exposures
      const replicas = yield* Effect.all([replica, replica])
      const everywhere = <A, E, R>(acts: ReadonlyArray<Effect.Effect<A, E, R>>) =>
        Effect.all(
          acts.map((act, index) => Effect.provide(act, replicas[index % 2] ?? replicas[0])),
          { concurrency: "unbounded" }
        )
      const tenants = Array.from({ length: 8 }, (_, index) => index)
      const claims = yield* everywhere(tenants.map((_) => claiming(`edge-${_}`, `tenant-${_}`)))
      assert.lengthOf(
        claims.filter((_) => typeof _ !== "string"),
        1
      )
      assert.deepStrictEqual(new Set(claims.filter((_) => typeof _ === "string")), new Set(["claimed"]))

      yield* pass(Duration.sum(hold, margin))
      const second = yield* everywhere(tenants.map((_) => claimed(`again-${_}`, `other-${_}`)))
      const proofs = yield* everywhere(
        second.map((_) => Effect.flatMap(Exposures, (exposures) => exposures.prove(_, undefined)))
      )
      assert.deepStrictEqual(proofs.map((_) => (typeof _ === "string" ? _ : "proved")).toSorted(), [
        ...Array.from({ length: 7 }, () => "claimed"),
        "proved"
      ])
      assert.isDefined(yield* exposures.challengeOfOther("shop.example", "nobody"))
    })
  )

  story(
    "divide the due exposures among them",
    Effect.fnUntraced(function* () {
      const exposures = yield* Exposures
      const ids = Array.from({ length: 20 }, (_, index) => `edge-${index}`)
      yield* Effect.forEach(ids, (id) => exposures.insert(exposure(id), undefined))
      yield* pass(Duration.minutes(1))
      const replicas = yield* Effect.all([replica, replica, replica])
      const shares = yield* Effect.forEach(
        [...replicas, ...replicas],
        (_) => Effect.flatMap(Exposures, (exposures) => exposures.claimDue(5, often)).pipe(Effect.provide(_)),
        { concurrency: "unbounded" }
      )
      const rest = yield* exposures.claimDue(100, often)
      assert.deepStrictEqual([...shares.flat(), ...rest].map((_) => _.exposure_id).toSorted(), ids.toSorted())
    })
  )
})
