import { NodeServices } from "@effect/platform-node"
import { PgMigrator } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import type { Position } from "@portico/contract/Page"
import { DateTime, Deferred, Duration, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { accountLease, Accounts } from "../src/Accounts.ts"
import { Credentials } from "../src/Credentials.ts"
import { migrations } from "../src/migrations.ts"
import * as Store from "../src/Store.ts"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { Tenants } from "../src/Tenants.ts"
import { Transactions } from "../src/Transactions.ts"
import { margin, pass } from "@portico/testing/store/Aging"
import { credential } from "./credential.ts"
import { replica } from "./replica.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"
import { TestDatabase } from "@portico/testing/store/TestDatabase"

const closing = { by: "owner-1", reason: "moving out", windowDays: 30 } as const
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
        window_days: null,
        closed_by: null,
        closed_at: null,
        reason: null,
        closes_at: null,
        destroyer: null,
        finalized_by: null,
        finalize_reason: null,
        due_at: null,
        lease: null,
        lease_ends: null,
        attempts: 0,
        failures: 0,
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
      assert.strictEqual(first, 1)
      assert.isUndefined(yield* accounts.destroy(yield* present(accounts.claim)), "a project is left")
      assert.deepStrictEqual([(yield* tenant("2")).number, (yield* tenant("3")).number], [2, 3])
    })
  )

  story(
    "members are counted, without machines and removed members",
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
        window_days: 30,
        closed_by: "owner-1",
        reason: "moving out"
      })
      const { closed_at, closes_at } = entry
      assert.isNotNull(closed_at)
      assert.isNotNull(closes_at)
      assert.deepStrictEqual(DateTime.distance(closed_at, closes_at), window)
      assert.isUndefined(yield* accounts.close(number, { ...closing, by: "owner-2" }))
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

      yield* present(accounts.close(before.number, closing))
      yield* pass(window)
      assert.isUndefined(yield* accounts.reopen(before.number))
      assert.strictEqual((yield* accounts.find(before.number))?.state, "closing")
    })
  )

  story(
    "its destruction is due when the window is over and not before, also after a reopening",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const number = yield* closed()
      yield* pass(Duration.times(window, 0.5))
      yield* present(accounts.reopen(number))
      yield* present(accounts.close(number, closing))
      yield* pass(Duration.subtract(window, margin))
      assert.isUndefined(yield* accounts.claim)
      yield* pass(margin)
      const claimed = yield* present(accounts.claim)
      assert.deepInclude(claimed, { number, destroyer: "window", attempts: 1, destroyed_projects: ["project-1"] })
      assert.isUndefined(yield* accounts.claim, "a process has it")
      assert.isUndefined(yield* accounts.reopen(number))
    })
  )

  story(
    "the longest due account is claimed first, and a rolled back closing not at all",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const { atomically } = yield* Transactions
      const numbers = [(yield* tenant("1")).number, (yield* tenant("2")).number, (yield* tenant("3")).number] as const
      yield* accounts.close(numbers[1], { ...closing, windowDays: 1 })
      yield* accounts.close(numbers[0], { ...closing, windowDays: 2 })
      const undone = Effect.andThen(accounts.close(numbers[2], closing), Effect.fail("no, after all"))
      yield* Effect.ignore(atomically(undone))
      yield* pass(window)
      assert.deepStrictEqual(
        [(yield* accounts.claim)?.number, (yield* accounts.claim)?.number, (yield* accounts.claim)?.number],
        [numbers[1], numbers[0], undefined]
      )
    })
  )

  story(
    "a renewed lease stays; a lapsed one passes on, and its first holder can change nothing",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      yield* closed(0)
      const first = yield* present(accounts.claim)
      for (let time = 0; time < 2; time++) {
        yield* pass(Duration.subtract(accountLease, margin))
        yield* accounts.renew(first)
      }
      yield* pass(Duration.subtract(accountLease, margin))
      assert.isUndefined(yield* accounts.claim)
      yield* pass(margin)
      const second = yield* present(accounts.claim)
      assert.deepInclude(second, { attempts: 2, refusal: null })
      yield* accounts.renew(first)
      yield* accounts.release(first)
      yield* accounts.refuse(first, "late")
      yield* (yield* ProjectRecords).end("project-1")
      assert.isUndefined(yield* accounts.destroy(first))
      assert.deepStrictEqual(yield* accounts.find(second.number), { ...second, projects: [] })
    })
  )

  story(
    "a released account is due at once, and its next pause is not longer",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      yield* closed(0)
      for (let time = 0; time < 3; time++) yield* accounts.release(yield* present(accounts.claim))
      yield* accounts.refuse(yield* present(accounts.claim), "no")
      yield* pass("1 minute")
      yield* present(accounts.claim)
    })
  )

  story(
    "a refused account is due again after 1, 2, 4 … minutes, at most an hour, without end",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      yield* closed(0)
      for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
        yield* accounts.refuse(yield* present(accounts.claim), "refused")
        yield* pass(Duration.seconds(minutes * 60 - 10))
        assert.isUndefined(yield* accounts.claim, `before ${minutes} minutes`)
        yield* pass("10 seconds")
      }
      yield* present(accounts.claim)
    })
  )

  story(
    "inside the window it is condemned for a reason only, and once",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const number = yield* closed()
      assert.isUndefined(yield* accounts.condemn(number, { by: "operator", reason: null }))
      const condemned = yield* present(accounts.condemn(number, { by: "operator", reason: "fraud" }))
      assert.deepInclude(condemned, {
        destroyer: "operator",
        finalized_by: "operator",
        finalize_reason: "fraud",
        lease: null
      })
      assert.isUndefined(yield* accounts.condemn(number, { by: "another", reason: "again" }))
      assert.isUndefined(yield* accounts.reopen(number), "nothing restores it")
      assert.deepInclude(yield* present(accounts.claim), { number, destroyer: "operator", attempts: 1 })
    })
  )

  story(
    "after the window it is condemned without a reason, unless its destruction has begun",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const number = yield* closed()
      yield* pass(window)
      yield* present(accounts.condemn(number, { by: "operator", reason: null }))
      yield* present(accounts.claim)
      assert.isUndefined(yield* accounts.condemn(number, { by: "operator", reason: "hurry" }))
      yield* pass(accountLease)
      assert.isUndefined(yield* accounts.condemn(number, { by: "operator", reason: "hurry" }))
    })
  )

  story(
    "a refusal is stored, and a condemnation retries at once with the first pause",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const number = yield* closed(0)
      const claimed = yield* present(accounts.claim)
      yield* accounts.refuse({ ...claimed, lease: randomUUID() }, "not yours to say")
      assert.strictEqual((yield* accounts.find(number))?.refusal, null)
      yield* accounts.refuse(claimed, "neutron: the network is in use\0")
      yield* pass("1 minute")
      assert.isUndefined(yield* accounts.condemn(number, { by: "operator", reason: "it is due already" }))
      yield* accounts.refuse(yield* present(accounts.claim), "neutron: the network is in use\0")
      const refused = yield* present(accounts.find(number))
      assert.deepInclude(refused, { state: "closing", lease: null, attempts: 2, failures: 2 })
      assert.include(refused.refusal, "neutron: the network is in use")
      assert.isNotNull(refused.refused_at)
      assert.isUndefined(yield* accounts.claim)

      yield* present(accounts.condemn(number, { by: "operator", reason: null }))
      assert.isUndefined(yield* accounts.condemn(number, { by: "another", reason: null }))
      yield* accounts.refuse(yield* present(accounts.claim), "once more")
      yield* pass("1 minute")
      yield* present(accounts.claim)
    })
  )

  story(
    "it is destroyed by its lease's holder when it has no project, and stays as a record",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const { number } = yield* (yield* Accounts).open({ projectId: "project-9", name: "Empty" })
      yield* accounts.close(number, { ...closing, windowDays: 0 })
      const claimed = yield* present(accounts.claim)
      assert.isUndefined(yield* accounts.destroy({ ...claimed, lease: randomUUID() }))
      const destroyed = yield* present(accounts.destroy(claimed))
      assert.deepInclude(destroyed, { state: "destroyed", lease: null, refusal: null, closed_by: "owner-1" })
      assert.isNotNull(destroyed.destroyed_at)
      yield* accounts.refuse(claimed, "late")
      for (const change of [
        accounts.destroy(claimed),
        accounts.close(number, closing),
        accounts.reopen(number),
        accounts.condemn(number, { by: "operator", reason: "why not" }),
        accounts.claim,
        accounts.vacate(number, "project-9")
      ]) {
        assert.isUndefined(yield* change)
      }
      assert.deepStrictEqual(yield* accounts.find(number), destroyed)
    })
  )

  story(
    "an account ends with its last project, also while closing, unless destruction is ordered",
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
      yield* present(accounts.condemn(condemned.number, { by: "operator", reason: null }))
      assert.isUndefined(yield* accounts.vacate(condemned.number, "project-9"))
    })
  )

  story(
    "the list has pages, oldest first, by state or of all",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      for (const id of ["1", "2", "3", "4", "5"]) yield* tenant(id)
      for (const number of [2, 4, 5]) yield* accounts.close(number, closing)

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

it.live("tenants older than accounts get one account each, in order of age", () =>
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
  }).pipe(Effect.provide(TestDatabase.layerEmpty))
)

/** The schema of the releases that kept in a queue what was due. */
const queued = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0025"))

it.live("an upgrade keeps accounts that an earlier release was to destroy", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* PgMigrator.run({ loader: PgMigrator.fromRecord(queued), table: "portico_migrations" }).pipe(
      Effect.provide(NodeServices.layer)
    )
    yield* sql`
      INSERT INTO accounts (name, state, closes_at, destroyer, trying) VALUES
        ('open', 'open', NULL, NULL, false),
        ('in its window', 'closing', now() + interval '1 day', NULL, false),
        ('past its window', 'closing', now() - interval '2 minutes', NULL, false),
        ('finalized early', 'closing', now() + interval '1 day', 'wake-1', false),
        ('being destroyed', 'closing', now() - interval '1 day', 'wake-2', true)`

    yield* Effect.gen(function* () {
      const accounts = yield* Accounts
      const due = Effect.map(Effect.all([accounts.claim, accounts.claim, accounts.claim]), (found) =>
        found.flatMap((_) => _?.name ?? [])
      )
      assert.deepStrictEqual(yield* due, ["finalized early", "past its window"])
      yield* sql`UPDATE accounts SET due_at = due_at - interval '3 minutes' WHERE lease IS NULL`
      assert.deepStrictEqual(yield* due, ["being destroyed"])
      yield* sql`UPDATE accounts SET closes_at = closes_at - interval '1 day' WHERE lease IS NULL`
      assert.deepStrictEqual(yield* due, ["in its window"])

      // A replica of an earlier release goes on for a while. It orders a destruction without a time, and stops.
      yield* accounts.close(1, closing)
      yield* sql`UPDATE accounts SET destroyer = 'wake-3', finalize_reason = 'fraud' WHERE number = 1`
      assert.deepStrictEqual(yield* due, ["open"])
    }).pipe(Effect.provide(Store.layerNoDeps))
  }).pipe(Effect.provide(TestDatabase.layerEmpty))
)

/** Until another session waits for a row. */
const rowAwaited = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, {
    until: (rows) => rows.length === 1
  })
)

postgresStoriesOf("Accounts and replicas", (story) => {
  story(
    "of a closing, a reopening and a condemnation at once, the first one wins",
    Effect.fnUntraced(function* () {
      const replicas = yield* Effect.all([replica, replica, replica])
      for (let round = 0; round < 20; round++) {
        const { number } = yield* tenant(`round-${round}`)
        yield* (yield* Accounts).close(number, closing)
        const change = Effect.fnUntraced(function* (index: number) {
          const accounts = yield* Accounts
          if (index % 3 === 0) return [(yield* accounts.reopen(number)) && "reopened"]
          const condemned = yield* accounts.condemn(number, { by: "operator", reason: "because" })
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
          yield* accounts.close(number, { ...closing, by: "owner-2" })
        })
      )
      assert.isUndefined(yield* Fiber.join(waiting))
      assert.strictEqual((yield* present(accounts.find(number))).closed_by, "owner-2")
    })
  )

  story(
    "each account that is due goes to one of them",
    Effect.fnUntraced(function* () {
      const accounts = yield* Accounts
      const ids = Array.from({ length: 15 }, (_, index) => String(index))
      for (const id of ids) {
        const { number } = yield* tenant(id)
        yield* accounts.close(number, { ...closing, windowDays: 0 })
      }
      const replicas = yield* Effect.all([replica, replica, replica])
      const claim = Effect.flatMap(Accounts, (_) => _.claim)
      const claimed = yield* Effect.forEach(
        [...ids, ...ids],
        (_, index) => Effect.provide(claim, replicas[index % 3]!),
        { concurrency: "unbounded" }
      )
      const numbers = claimed.flatMap((_) => _?.number ?? [])
      assert.strictEqual(new Set(numbers).size, numbers.length)
    })
  )
})
