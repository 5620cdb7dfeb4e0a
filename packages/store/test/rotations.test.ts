import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Stream } from "effect"
import { Credentials } from "../src/Credentials.ts"
import { Holds } from "../src/Holds.ts"
import { retireLease, Rotations } from "../src/Rotations.ts"
import { Tenants } from "../src/Tenants.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { credential, successor } from "./credential.ts"
import { present, storiesOf } from "./stories.ts"

const hour = Duration.hours(1)

/** A credential with a successor, whose overlap is an hour. */
const rotated = Effect.gen(function* () {
  const credentials = yield* Credentials
  const rotations = yield* Rotations
  const old = yield* credentials.insert(credential("1", { pat_hash: "hash-1" }))
  const minting = yield* present(rotations.begin(successor("2", "1")))
  const done = yield* present(rotations.complete("2", "hash-2", hour))
  return { credentials, rotations, old, minting, ...done }
})

const overdue = Effect.flatMap(Rotations, ({ claimOverdue }) =>
  Effect.map(claimOverdue, (rows) => rows.map((_) => _.credential_id))
)

storiesOf("Rotations", (story) => {
  story(
    "a rotation changes the old credential when the new one is complete, and not before",
    Effect.fnUntraced(function* () {
      const { credentials, minting, old, predecessor, successor } = yield* rotated

      assert.deepStrictEqual([minting.state, minting.rotates], ["minting", "1"])
      assert.deepStrictEqual(successor, { ...minting, state: "active", pat_hash: "hash-2", mint_ends: null })
      assert.deepStrictEqual(predecessor, { ...old, rotated_to: "2", revokes_at: predecessor.revokes_at })
      assert.isNotNull(predecessor.revokes_at)
      const left = DateTime.distance(yield* DateTime.now, predecessor.revokes_at)
      assert.closeTo(Duration.toSeconds(left), 3600, 10)
      assert.deepStrictEqual(yield* credentials.find("1"), predecessor)
      assert.deepStrictEqual(yield* credentials.find("2"), successor)
    })
  )

  story(
    "a derived credential keeps its former units across makers, and so does its successor",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const rotations = yield* Rotations
      yield* credentials.insert(credential("maker", { ou: "a.b", former_units: ["c"] }))
      yield* credentials.insert(credential("made", { made_by: "maker", ou: "d" }))
      yield* credentials.insert(credential("other"))
      const minting = yield* present(rotations.begin(successor("new", "maker", { made_by: "other" })))
      assert.deepStrictEqual([minting.ou, minting.former_units], ["a.b", ["c"]])
      yield* present(rotations.complete("new", "hash-new", hour))
      const made = yield* present(credentials.find("made"))
      assert.deepStrictEqual([made.made_by, made.ou, made.former_units], [null, "d", ["a.b", "c"]])

      yield* present(rotations.begin(successor("newer", "made")))
      yield* present(rotations.complete("newer", "hash-newer", hour))
      yield* credentials.insert(credential("below", { made_by: "newer" }))
      const { makers } = yield* present(credentials.derived({ id: "below" }))
      assert.deepStrictEqual(
        makers.map((_) => [_.ou, _.former_units]),
        [["d", ["a.b", "c"]]]
      )
    })
  )

  story(
    "a successor takes the maker and rights that its predecessor then has, if it inherits them",
    Effect.fnUntraced(function* () {
      const { credentials, rotations } = yield* rotated
      yield* credentials.insert(credential("below", { made_by: "2" }))
      const read = yield* present(credentials.find("below"))
      // The maker is replaced after somebody has read the credential, by a successor of another maker.
      yield* credentials.revoke("1")
      yield* present(rotations.begin(successor("3", "2", { tier: 0, made_by: "1" })))
      yield* present(rotations.complete("3", "hash-3", hour))
      const { rights: _, ...others } = successor("4", "below")
      const minting = yield* present(rotations.begin({ ...others, rights: "predecessor's" }))
      const now = yield* present(credentials.find("below"))
      assert.deepStrictEqual([read.made_by, now.made_by, minting.made_by], ["2", null, null])
      assert.deepStrictEqual([minting.tier, minting.kind, minting.expires_at], [now.tier, now.kind, now.expires_at])
    })
  )

  story(
    "of many rotations at once one begins, and the next only when that left nothing",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const rotations = yield* Rotations
      yield* credentials.insert(credential("1"))
      const begun = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => `new-${index}`),
        (id) => rotations.begin(successor(id, "1")),
        { concurrency: "unbounded" }
      )
      const winners = begun.filter((_) => _ !== undefined).map((_) => _.credential_id)
      assert.lengthOf(winners, 1)

      yield* credentials.remove(winners[0] ?? "")
      assert.isDefined(yield* rotations.begin(successor("again", "1")))
    })
  )

  story(
    "a revoked, suspended, expired, minting or already replaced credential is not replaced",
    Effect.fnUntraced(function* () {
      const { credentials, rotations } = yield* rotated
      yield* credentials.insert(credential("revoked"))
      yield* credentials.revoke("revoked")
      yield* credentials.insert(credential("suspended", { state: "suspended" }))
      yield* credentials.insert(credential("minting", { state: "minting" }))
      yield* credentials.insert(
        credential("expired", { expires_at: DateTime.add(yield* DateTime.now, { minutes: 1 }) })
      )
      yield* pass("2 minutes")

      for (const id of ["revoked", "suspended", "minting", "expired", "1", "nobody"]) {
        assert.isUndefined(yield* rotations.begin(successor(`of-${id}`, id)), id)
        assert.isUndefined(yield* credentials.find(`of-${id}`), id)
      }
    })
  )

  story(
    "a successor is replaced when its predecessor has ended",
    Effect.fnUntraced(function* () {
      const { credentials, rotations } = yield* rotated
      assert.isUndefined(yield* rotations.begin(successor("3", "2")))
      yield* pass(Duration.subtract(hour, margin))
      assert.isUndefined(yield* rotations.begin(successor("3", "2")))
      yield* pass(margin)
      assert.isDefined(yield* rotations.begin(successor("3", "2")))
      yield* credentials.remove("3")
    })
  )

  story(
    "a successor is replaced at once when its predecessor was revoked",
    Effect.fnUntraced(function* () {
      const { credentials, rotations } = yield* rotated
      yield* credentials.revoke("1")
      assert.isDefined(yield* rotations.begin(successor("3", "2")))
    })
  )

  story(
    "a rotation is not completed when its predecessor ended or was held, and changes nothing",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const rotations = yield* Rotations
      const tenants = yield* Tenants
      yield* tenants.insert({ project_id: "project-1", slug: "acme", name: "Acme", tier: "standard", stamp: "s" })
      const meanwhile = {
        revoked: credentials.revoke("old-revoked"),
        expired: pass("2 minutes"),
        removed: credentials.remove("old-removed")
      }
      const soon = DateTime.add(yield* DateTime.now, { minutes: 1 })
      for (const [what, happens] of Object.entries(meanwhile)) {
        const [old, id] = [`old-${what}`, `new-${what}`]
        yield* credentials.insert(credential(old, { expires_at: what === "expired" ? soon : null }))
        const minting = yield* present(rotations.begin(successor(id, old)))
        yield* happens
        assert.isUndefined(yield* rotations.complete(id, `hash-${id}`, hour), what)
        const now = yield* present(credentials.find(id))
        assert.deepStrictEqual([now.state, now.pat_hash], [minting.state, null], what)
        const was = yield* credentials.find(old)
        assert.deepStrictEqual([was?.rotated_to ?? null, was?.revokes_at ?? null], [null, null], what)
        yield* credentials.remove(id)
      }

      yield* credentials.insert(credential("held"))
      yield* rotations.begin(successor("new-held", "held"))
      yield* (yield* Holds).hold("project-1", "project_deletion")
      assert.isUndefined(yield* rotations.complete("new-held", "hash", hour))
      const held = yield* present(credentials.find("held"))
      assert.deepStrictEqual([held.state, held.rotated_to], ["suspended", null])
    })
  )

  story(
    "a rotation that took longer than its lease is not completed",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const rotations = yield* Rotations
      yield* credentials.insert(credential("1"))
      yield* rotations.begin(successor("2", "1"))
      yield* pass("3 minutes")
      assert.isUndefined(yield* rotations.complete("2", "hash-2", hour))
      assert.strictEqual((yield* present(credentials.find("1"))).rotated_to, null)
    })
  )

  story(
    "a credential and its successor together take one place in the allowance",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const rotations = yield* Rotations
      yield* credentials.insert(credential("1"))
      yield* credentials.insert(credential("other"))
      yield* rotations.begin(successor("2", "1"))
      assert.strictEqual(yield* credentials.countLive("project-1"), 2)
      yield* rotations.complete("2", "hash-2", hour)
      assert.strictEqual(yield* credentials.countLive("project-1"), 2)
      assert.isUndefined(yield* credentials.insertWithin(credential("more"), 2))
      yield* credentials.revoke("1")
      assert.strictEqual(yield* credentials.countLive("project-1"), 2)
      yield* credentials.revoke("2")
      assert.strictEqual(yield* credentials.countLive("project-1"), 1)
    })
  )

  story(
    "an ended overlap is claimed by one, again after a cut, and never before or after",
    Effect.fnUntraced(function* () {
      const { credentials, predecessor } = yield* rotated
      yield* pass(Duration.subtract(hour, margin))
      assert.deepStrictEqual(yield* overdue, [])
      yield* pass(margin)
      const sweeps = yield* Effect.all(
        Array.from({ length: 8 }, () => overdue),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(sweeps.flat(), ["1"])
      yield* pass(retireLease)
      assert.deepStrictEqual(yield* overdue, ["1"])
      yield* credentials.revoke("1")
      yield* pass(retireLease)
      assert.deepStrictEqual(yield* overdue, [])
      assert.isNotNull(predecessor.revokes_at)
    })
  )

  story(
    "a credential that ended with its overlap has that time as revoked_at, however late",
    Effect.fnUntraced(function* () {
      const { credentials } = yield* rotated
      yield* pass("3 hours")
      const row = yield* present(credentials.revoke("1"))
      assert.isNotNull(row.revoked_at)
      assert.deepStrictEqual(row.revoked_at, row.revokes_at)
    })
  )

  story(
    "a listener is notified of both credentials when a rotation is complete",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const rotations = yield* Rotations
      yield* credentials.insert(credential("1"))
      yield* rotations.begin(successor("2", "1"))
      const changes = yield* credentials.changes
      const hearing = yield* Effect.forkChild(Stream.runCollect(Stream.take(changes, 2)))
      yield* rotations.complete("2", "hash-2", hour)
      assert.sameMembers(yield* Fiber.join(hearing), ["user-1", "user-2"])
    })
  )
})
