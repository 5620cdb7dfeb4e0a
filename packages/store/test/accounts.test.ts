import { NodeServices } from "@effect/platform-node"
import { PgMigrator } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import type { Position } from "@portico/contract/Page"
import { DateTime, Deferred, Duration, Effect, Fiber, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../src/Accounts.ts"
import { Credentials } from "../src/Credentials.ts"
import { migrations } from "../src/migrations.ts"
import * as Store from "../src/Store.ts"
import { Tenants } from "../src/Tenants.ts"
import { Transactions } from "../src/Transactions.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { credential } from "./credential.ts"
import { replica } from "./replica.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"
import { TestDatabase } from "@portico/testing/store/TestDatabase"

const closure = "6f3f2c5e-4a3a-4a4e-9c5e-000000000001"
const otherClosure = "6f3f2c5e-4a3a-4a4e-9c5e-000000000002"
const closing = { closure, by: "owner-1", reason: "moving out", windowDays: 30 } as const
const window = Duration.days(30)

const tenant = Effect.fnUntraced(function* (id: string) {
  yield* (yield* Tenants).insert({
    project_id: `project-${id}`,
    slug: `tenant-${id}`,
    name: `Tenant ${id}`,
    tier: "discovery",
    stamp: `stamp-${id}`
  })
  return yield* (yield* Accounts).open({ projectId: `project-${id}`, name: `Tenant ${id}` })
})

/** An account that is closing, with the whole window before it. */
const closed = Effect.fnUntraced(function* (windowDays = 30) {
  const { number } = yield* tenant("1")
  yield* present((yield* Accounts).close(number, { ...closing, windowDays }))
  return number
})

type Page = Effect.Success<ReturnType<Accounts["Service"]["page"]>>

storiesOf("Accounts", (story) => {
  story(
    "an account is opened with its tenant, and found by its number and its project",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const opened = yield* tenant("1")

      const { created_at, ...entry } = opened
      assert.isDefined(created_at)
      assert.deepStrictEqual(entry, {
        number: 1,
        name: "Tenant 1",
        state: "open",
        closure: null,
        window_days: null,
        closed_by: null,
        closed_at: null,
        reason: null,
        closes_at: null,
        destroyer: null,
        finalized_by: null,
        finalize_reason: null,
        trying: false,
        attempts: 0,
        refusal: null,
        refused_at: null,
        destroyed_at: null,
        destroyed_projects: [],
        projects: ["project-1"]
      })
      assert.deepStrictEqual(yield* accounts.find(1), opened)
      assert.deepStrictEqual(yield* accounts.lock(1), opened)
      assert.deepStrictEqual(yield* accounts.findByProject("project-1"), opened)
      assert.strictEqual((yield* (yield* Tenants).find("project-1"))?.account_n, 1)
      for (const projectId of ["project-9", "", "a\0b"]) assert.isUndefined(yield* accounts.findByProject(projectId))
      assert.isUndefined(yield* accounts.find(9))
    })
  )

  story(
    "numbers are short, grow, and are not given again when an account is destroyed",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const first = yield* closed(0)
      yield* present(accounts.begin(first, closure, "wake-1"))
      assert.isUndefined(yield* accounts.destroy(first, "wake-1"), "a project is left")
      assert.deepStrictEqual([(yield* tenant("2")).number, (yield* tenant("3")).number], [2, 3])
    })
  )

  story(
    "members are counted, and machines and those who left are not",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const { number } = yield* tenant("1")
      yield* tenant("2")
      for (const [id, kind, project] of [
        ["m1", "member", "1"],
        ["m2", "member", "1"],
        ["m3", "member", "1"],
        ["k1", "api-key", "1"],
        ["m4", "member", "2"],
        ["m5", "member", "1"]
      ] as const) {
        yield* credentials.insert(credential(id, { kind, project_id: `project-${project}` }))
      }
      yield* credentials.revoke("m3")
      yield* credentials.insert(credential("m6", { kind: "member", state: "minting" }))
      assert.strictEqual(yield* (yield* Accounts).members(number), 3)
      assert.deepStrictEqual(yield* (yield* Accounts).projects(number), [
        { project_id: "project-1", name: "Tenant 1", slug: "tenant-1", tier: "discovery" }
      ])
    })
  )

  story(
    "it is closed once",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const { number } = yield* tenant("1")
      const entry = yield* present(accounts.close(number, closing))
      assert.deepInclude(entry, {
        state: "closing",
        closure,
        window_days: 30,
        closed_by: "owner-1",
        reason: "moving out"
      })
      const { closed_at, closes_at } = entry
      assert.isNotNull(closed_at)
      assert.isNotNull(closes_at)
      assert.deepStrictEqual(DateTime.distance(closed_at, closes_at), window)
      assert.isUndefined(yield* accounts.close(number, { ...closing, closure: otherClosure }))
      assert.deepStrictEqual(yield* accounts.find(number), entry)
    })
  )

  story(
    "it is reopened as it was, until the window is over",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const before = yield* tenant("1")
      yield* accounts.close(before.number, closing)
      yield* pass(Duration.subtract(window, margin))
      const reopened = yield* present(accounts.reopen(before.number))
      // Everything moves back when time passes.
      assert.deepStrictEqual({ ...reopened, created_at: before.created_at }, before)
      assert.isUndefined(yield* accounts.reopen(before.number), "it is open already")

      yield* present(accounts.close(before.number, { ...closing, closure: otherClosure }))
      yield* pass(window)
      assert.isUndefined(yield* accounts.reopen(before.number))
      assert.strictEqual((yield* accounts.find(before.number))?.state, "closing")
    })
  )

  story(
    "the wake of the deadline begins nothing before the window is over, and nothing for an earlier closing",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const number = yield* closed()
      yield* pass(Duration.subtract(window, margin))
      assert.isUndefined(yield* accounts.begin(number, closure, closure))
      yield* pass(margin)
      assert.isUndefined(yield* accounts.begin(number, otherClosure, otherClosure))
      const begun = yield* present(accounts.begin(number, closure, closure))
      assert.deepInclude(begun, { destroyer: closure, trying: true, attempts: 1, destroyed_projects: ["project-1"] })
      assert.isUndefined(yield* accounts.begin(number, closure, "another wake"))
      assert.strictEqual((yield* present(accounts.begin(number, closure, closure))).attempts, 2)
      assert.isUndefined(yield* accounts.reopen(number))
    })
  )

  story(
    "inside the window it is condemned for a reason only, and once",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const number = yield* closed()
      assert.isUndefined(yield* accounts.condemn(number, { wake: "w1", by: "operator", reason: null }))
      const condemned = yield* present(accounts.condemn(number, { wake: "w1", by: "operator", reason: "fraud" }))
      assert.deepInclude(condemned, {
        destroyer: "w1",
        finalized_by: "operator",
        finalize_reason: "fraud",
        trying: false
      })
      assert.isUndefined(yield* accounts.condemn(number, { wake: "w2", by: "operator", reason: "again" }))
      assert.isUndefined(yield* accounts.reopen(number), "nothing restores it")
      assert.isUndefined(yield* accounts.begin(number, closure, closure), "the deadline's wake has nothing to do")
      yield* present(accounts.begin(number, closure, "w1"))
    })
  )

  story(
    "after the window it is condemned without a reason, unless a wake is at it",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const number = yield* closed()
      yield* pass(window)
      yield* present(accounts.condemn(number, { wake: "w1", by: "operator", reason: null }))
      assert.isUndefined(yield* accounts.begin(number, closure, closure))
      yield* present(accounts.begin(number, closure, "w1"))
      assert.isUndefined(yield* accounts.condemn(number, { wake: "w2", by: "operator", reason: "hurry" }))
    })
  )

  story(
    "a refusal is readable, and the next attempt may be another wake's",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const number = yield* closed(0)
      yield* present(accounts.begin(number, closure, closure))
      yield* accounts.refuse(number, "another wake", "not yours to say")
      assert.strictEqual((yield* accounts.find(number))?.refusal, null)
      yield* accounts.refuse(number, closure, "neutron: the network is in use\0")
      const refused = yield* present(accounts.find(number))
      assert.deepInclude(refused, { state: "closing", trying: false, attempts: 1 })
      assert.include(refused.refusal, "neutron: the network is in use")
      assert.isNotNull(refused.refused_at)

      yield* present(accounts.condemn(number, { wake: "w2", by: "operator", reason: null }))
      assert.isUndefined(yield* accounts.begin(number, closure, closure))
      yield* present(accounts.begin(number, closure, "w2"))
    })
  )

  story(
    "it is destroyed by its own wake when no project is left, and stays as a record",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const { number } = yield* (yield* Accounts).open({ projectId: "project-9", name: "Empty" })
      yield* accounts.close(number, { ...closing, windowDays: 0 })
      yield* present(accounts.begin(number, closure, closure))
      assert.isUndefined(yield* accounts.destroy(number, "another wake"))
      const destroyed = yield* present(accounts.destroy(number, closure))
      assert.deepInclude(destroyed, { state: "destroyed", trying: false, refusal: null, closed_by: "owner-1" })
      assert.isNotNull(destroyed.destroyed_at)
      assert.isUndefined(yield* accounts.destroy(number, closure))
      for (const change of [
        accounts.close(number, closing),
        accounts.reopen(number),
        accounts.condemn(number, { wake: "w", by: "operator", reason: "why not" }),
        accounts.begin(number, closure, closure),
        accounts.vacate(number, "project-9")
      ]) {
        assert.isUndefined(yield* change)
      }
      assert.deepStrictEqual(yield* accounts.find(number), destroyed)
    })
  )

  story(
    "an account whose last project was deleted is over, also while it is closing, unless a wake destroys it",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const { number } = yield* tenant("1")
      assert.isUndefined(yield* accounts.vacate(number, "project-1"), "it is not gone")
      const gone = { state: "destroyed" as const, destroyed_projects: ["project-9"] }
      const open = yield* accounts.open({ projectId: "project-9", name: "Gone" })
      assert.deepInclude(yield* present(accounts.vacate(open.number, "project-9")), gone)
      const left = yield* accounts.open({ projectId: "project-9", name: "Gone" })
      yield* accounts.close(left.number, { ...closing, windowDays: 0 })
      assert.deepInclude(yield* present(accounts.vacate(left.number, "project-9")), gone)
      const condemned = yield* accounts.open({ projectId: "project-9", name: "Gone" })
      yield* accounts.close(condemned.number, { ...closing, windowDays: 0 })
      yield* present(accounts.begin(condemned.number, closure, closure))
      assert.isUndefined(yield* accounts.vacate(condemned.number, "project-9"))
    })
  )

  story(
    "the list has pages, oldest first, by state or of all",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      for (const id of ["1", "2", "3", "4", "5"]) yield* tenant(id)
      for (const number of [2, 4, 5]) yield* accounts.close(number, { ...closing, closure: otherClosure })

      /** Over pages of two. */
      const read = Effect.fnUntraced(function* (state: "closing" | "destroyed" | undefined) {
        const numbers: Array<number> = []
        let after: Position | undefined = undefined
        for (;;) {
          const page: Page = yield* accounts.page(state, { limit: 2, after })
          const { count, rows } = page
          const last = rows.slice(0, 2).at(-1)
          numbers.push(...rows.slice(0, 2).map((_) => _.number))
          if (rows.length <= 2 || last === undefined) return { count, numbers }
          after = { at: DateTime.toEpochMillis(last.created_at), id: String(last.number) }
        }
      })
      assert.deepStrictEqual(yield* read(undefined), { count: 5, numbers: [1, 2, 3, 4, 5] })
      assert.deepStrictEqual(yield* read("closing"), { count: 3, numbers: [2, 4, 5] })
      assert.deepStrictEqual(yield* read("destroyed"), { count: 0, numbers: [] })
      const odd = yield* accounts.page(undefined, { limit: 10, after: { at: 0, id: "no number" } })
      assert.strictEqual(odd.rows.length, 5)
    })
  )
})

/** The schema as it was before there were accounts. */
const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0009"))

it.live("tenants from before there were accounts get one each, in the order in which they came", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* PgMigrator.run({ loader: PgMigrator.fromRecord(before), table: "portico_migrations" }).pipe(
      Effect.provide(NodeServices.layer)
    )
    for (const [id, minute] of [
      ["b", "03"],
      ["a", "02"],
      ["c", "01"]
    ]) {
      yield* sql`
        INSERT INTO tenants (project_id, slug, name, tier, stamp, created_at)
        VALUES (${id}, ${id}, ${`Tenant ${id}`}, 'discovery', 'stamp', ${`2026-01-01T00:${minute}:00Z`}::timestamptz)`
    }

    const next = yield* Effect.gen(function* () {
      const accounts = yield* Accounts
      const { rows } = yield* accounts.page(undefined, { limit: 10, after: undefined })
      assert.deepStrictEqual(
        rows.map((_) => [_.number, _.name, _.state, _.projects, DateTime.formatIso(_.created_at)]),
        [
          [1, "Tenant c", "open", ["c"], "2026-01-01T00:01:00.000Z"],
          [2, "Tenant a", "open", ["a"], "2026-01-01T00:02:00.000Z"],
          [3, "Tenant b", "open", ["b"], "2026-01-01T00:03:00.000Z"]
        ]
      )
      return yield* tenant("4")
    }).pipe(Effect.provide(Store.layerNoDeps))
    assert.strictEqual(next.number, 4)
  }).pipe(Effect.provide(TestDatabase.layer))
)

/** Until another session waits for a row. */
const rowAwaited = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, {
    until: (rows) => rows.length === 1,
    schedule: Schedule.spaced("10 millis")
  })
)

postgresStoriesOf("Accounts and replicas", (story) => {
  story(
    "of a closing, a reopening and a condemnation at once, what comes first decides",
    Effect.fnUntraced(function* () {
      const replicas = yield* Effect.all([replica, replica, replica])
      for (let round = 0; round < 20; round++) {
        const { number } = yield* tenant(`round-${round}`)
        yield* (yield* Accounts).close(number, closing)
        const change = Effect.fnUntraced(function* (index: number) {
          const accounts = yield* Accounts
          if (index % 3 === 0) return [(yield* accounts.reopen(number)) && "reopened"]
          const wake = `wake-${index}`
          const condemned = yield* accounts.condemn(number, { wake, by: "operator", reason: "because" })
          return [condemned && "condemned"]
        })
        const changed = yield* Effect.forEach(
          Array.from({ length: 9 }, (_, index) => index),
          (index) => Effect.provide(change(index), replicas[index % 3]!),
          { concurrency: "unbounded" }
        )
        const done = changed.flat().filter((_) => _ !== undefined)
        assert.lengthOf(done, 1)
        const { destroyer, state } = yield* present((yield* Accounts).find(number))
        assert.deepStrictEqual(
          [state, destroyer === null],
          done[0] === "reopened" ? ["open", true] : ["closing", false]
        )
      }
    })
  )

  story(
    "a lock keeps others from changing the account until the transaction is over",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const { atomically } = yield* Transactions
      const { number } = yield* tenant("1")
      const locked = yield* Deferred.make<void>()
      const closingToo = Effect.flatMap(Accounts, (_) => _.close(number, closing))
      const waiting = yield* Deferred.await(locked).pipe(
        Effect.andThen(Effect.provide(closingToo, yield* replica)),
        Effect.forkScoped
      )
      yield* atomically(
        Effect.gen(function* () {
          yield* accounts.lock(number)
          yield* Deferred.succeed(locked, undefined)
          yield* rowAwaited
          yield* accounts.close(number, { ...closing, closure: otherClosure })
        })
      )
      assert.isUndefined(yield* Fiber.join(waiting))
      assert.strictEqual((yield* present(accounts.find(number))).closure, otherClosure)
    })
  )
})
