import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { changeLease, Tenants } from "../src/Tenants.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { present, storiesOf } from "./stories.ts"

const acme = { project_id: "project-1", slug: "acme", name: "Acme GmbH", tier: "standard", stamp: "stamp-1" } as const

const globex = { ...acme, project_id: "project-2", slug: "globex", name: "Globex" } as const

const extended = { tier: "extension", suspended: false } as const

const insert = Effect.flatMap(Tenants, (tenants) => tenants.insert(acme))

const found = present(Effect.flatMap(Tenants, (tenants) => tenants.find(acme.project_id)))

/** Takes the right to change, and fails the story when somebody else holds it. */
const begun = present(Effect.flatMap(Tenants, (tenants) => tenants.beginChange(acme.project_id, "extension")))

storiesOf("Tenants", (story) => {
  story(
    "the tiers of incomplete writes are remembered until one completes",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      yield* insert
      for (const to of ["extension", "suspended", "discovery", "extension", "standard"] as const) {
        const lease = yield* present(tenants.beginChange(acme.project_id, to))
        yield* tenants.releaseChange(acme.project_id, lease)
      }
      // From the beginning of a suspension to the end of a move that lifts it.
      assert.deepInclude(yield* found, {
        suspended: true,
        pending_tier: "standard",
        reached_tiers: ["discovery", "extension"]
      })
      const lease = yield* present(tenants.beginChange(acme.project_id, "discovery"))
      yield* tenants.endChange(acme.project_id, lease, { tier: "discovery", suspended: false })
      assert.deepInclude(yield* found, { pending_tier: null, reached_tiers: [] })
    })
  )

  story(
    "sales list every start, move and end of the last days, and how long they are recorded",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      const month = Duration.days(30)
      assert.deepStrictEqual(yield* tenants.soldWithin(month), { changes: [], recordedSeconds: 0 })
      yield* insert
      yield* pass("20 days")
      yield* tenants.insert(globex)
      yield* tenants.insert({ ...globex, project_id: "project-3", slug: "initech", tier: "discovery" })
      yield* pass("10 days")
      // A write that keeps the tier sells nothing, and neither does one that stops half way.
      for (const to of ["standard", "extension", "extension"] as const) {
        const lease = yield* present(tenants.beginChange(acme.project_id, to))
        yield* tenants.endChange(acme.project_id, lease, { tier: to, suspended: false })
      }
      yield* tenants.releaseChange(acme.project_id, yield* begun)
      yield* (yield* ProjectRecords).end("project-3")
      yield* pass("10 seconds")

      const soldIn = Effect.fnUntraced(function* (days: number) {
        const { changes, recordedSeconds } = yield* tenants.soldWithin(Duration.days(days))
        assert.closeTo(Duration.toDays(Duration.seconds(recordedSeconds)), 30, 0.01)
        return changes.map((_) => `${_.was} ${_.became} ${_.count}`).toSorted()
      })
      const moved = ["discovery null 1", "standard extension 1"]
      assert.deepStrictEqual(yield* soldIn(9), moved)
      assert.deepStrictEqual(yield* soldIn(11), [...moved, "null discovery 1", "null standard 1"].toSorted())
      assert.deepStrictEqual(yield* soldIn(31), [...moved, "null discovery 1", "null standard 2"].toSorted())
    })
  )

  story(
    "a tenant is found by its project",
    Effect.fnUntraced(function* () {
      const before = yield* DateTime.now
      const inserted = yield* insert

      const { created_at, ...tenant } = inserted
      assert.deepStrictEqual(tenant, {
        ...acme,
        suspended: false,
        pending_tier: null,
        reached_tiers: [],
        change_lease: null,
        change_ends: null,
        closing: [],
        account_n: null
      })
      assert.closeTo(Duration.toSeconds(DateTime.distance(before, created_at)), 0, 10)
      assert.deepStrictEqual(yield* found, inserted)
      assert.isUndefined(yield* (yield* Tenants).find("project-9"))
    })
  )

  story(
    "tenants with the same tiers are counted together, except those named",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      for (const n of [1, 2, 3, 4]) {
        yield* tenants.insert({
          project_id: `p${n}`,
          slug: `s${n}`,
          name: `N${n}`,
          tier: "standard",
          stamp: `stamp-${n}`
        })
      }
      yield* tenants.beginChange("p4", "extension")
      const rows = yield* tenants.holdings({ projects: ["p1", "absent"], stamps: ["stamp-2"] })
      const sum = (project: string | null, pending: string | null) =>
        rows.reduce((count, _) => (_.project_id === project && _.pending_tier === pending ? count + _.count : count), 0)
      assert.strictEqual(sum("p1", null), 1)
      assert.strictEqual(sum("p2", null), 1)
      assert.strictEqual(sum(null, null), 1)
      assert.strictEqual(sum(null, "extension"), 1)
      assert.deepStrictEqual(rows.flatMap((_) => (_.stamp === null ? [] : [_.stamp])).toSorted(), [
        "stamp-1",
        "stamp-2"
      ])
    })
  )

  story(
    "a slug is taken by one tenant",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      assert.isFalse(yield* tenants.slugTaken("acme"))
      yield* insert
      assert.isTrue(yield* tenants.slugTaken("acme"))
      assert.isFalse(yield* tenants.slugTaken("globex"))

      for (const second of [
        { ...globex, slug: "acme" },
        { ...globex, project_id: "project-1" }
      ]) {
        assert.isTrue(yield* Effect.isFailure(Effect.sandbox(tenants.insert(second))))
      }
      assert.deepStrictEqual(yield* tenants.list, [yield* found])
    })
  )

  story(
    "the list has every tenant, the oldest first",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      assert.deepStrictEqual(yield* tenants.list, [])

      // The ids would sort the other way round.
      yield* tenants.insert(globex)
      yield* pass("1 second")
      yield* insert
      yield* tenants.beginChange("project-2", "suspended")

      assert.deepStrictEqual(
        (yield* tenants.list).map((_) => _.slug),
        ["globex", "acme"]
      )
    })
  )

  story(
    "a change that begins stores the new tier, and is the only one",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      yield* insert

      const lease = yield* begun

      assert.isUndefined(yield* tenants.beginChange("project-1", "suspended"))
      const changing = yield* found
      assert.strictEqual(changing.change_lease, lease)
      assert.strictEqual(changing.pending_tier, "extension")
      assert.strictEqual(changing.tier, "standard")
    })
  )

  story(
    "of changes that begin at once, one succeeds",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      yield* insert

      const leases = yield* Effect.all(
        Array.from({ length: 8 }, () => tenants.beginChange("project-1", "extension")),
        { concurrency: "unbounded" }
      )

      assert.strictEqual(leases.filter((_) => _ !== undefined).length, 1)
    })
  )

  story(
    "a change of one tenant does not block another's",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      yield* insert
      yield* tenants.insert(globex)
      yield* begun

      assert.isDefined(yield* tenants.beginChange("project-2", "extension"))
    })
  )

  story(
    "an unknown tenant cannot be changed",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      assert.isUndefined(yield* tenants.beginChange("project-9", "extension"))
      assert.isUndefined(
        yield* tenants.endChange("project-9", "6f2f4a3a-5a0e-4e5f-9b59-3a2c7a1f0e11", {
          tier: "extension",
          suspended: false
        })
      )
    })
  )

  story(
    "a change that ends sets the tenant to the new tier",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      const inserted = yield* insert
      const lease = yield* begun

      const moved = yield* tenants.endChange("project-1", lease, extended)

      assert.deepStrictEqual(moved, { ...inserted, ...extended })
      assert.deepStrictEqual(yield* found, { ...inserted, ...extended })
      assert.isUndefined(yield* tenants.endChange("project-1", lease, extended), "a second time")
      assert.isDefined(yield* begun)
    })
  )

  story(
    "a suspended tenant keeps its tier",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      yield* insert
      const lease = yield* present(tenants.beginChange("project-1", "suspended"))
      assert.deepInclude(yield* found, { pending_tier: "suspended", suspended: true })

      yield* tenants.endChange("project-1", lease, { tier: "standard", suspended: true })

      const { pending_tier, suspended, tier } = yield* found
      assert.deepStrictEqual(
        { pending_tier, suspended, tier },
        { pending_tier: null, suspended: true, tier: "standard" }
      )
    })
  )

  story(
    "a change that stops halfway stays visible, and another may begin at once",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      const inserted = yield* insert
      const lease = yield* begun

      yield* tenants.releaseChange("project-1", lease)

      assert.deepStrictEqual(yield* found, { ...inserted, pending_tier: "extension" })
      assert.isUndefined(yield* tenants.endChange("project-1", lease, extended))
      assert.isDefined(yield* begun)
    })
  )

  story(
    "the right to change passes on when its lease has ended",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      yield* insert
      const first = yield* begun
      yield* pass(Duration.subtract(changeLease, margin))
      assert.isUndefined(yield* tenants.beginChange("project-1", "discovery"))
      yield* pass(margin)

      const second = yield* present(tenants.beginChange("project-1", "discovery"))

      assert.notStrictEqual(second, first)
      const changing = yield* found
      yield* tenants.releaseChange("project-1", first)
      assert.isUndefined(yield* tenants.endChange("project-1", first, extended))
      assert.deepStrictEqual(yield* found, changing)
      assert.isDefined(yield* tenants.endChange("project-1", second, { tier: "discovery", suspended: false }))
    })
  )

  story(
    "a change may end after its lease if no other has begun",
    Effect.fnUntraced(function* () {
      const tenants = yield* Tenants
      yield* insert
      const lease = yield* begun
      yield* pass(changeLease)

      assert.strictEqual((yield* present(tenants.endChange("project-1", lease, extended))).tier, "extension")
    })
  )
})
