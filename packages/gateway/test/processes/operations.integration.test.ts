import { assert } from "@effect/vitest"
import type { Account } from "@portico/contract/Accounts"
import type { ZoneRow } from "@portico/contract/Dns"
import type { Exposure } from "@portico/contract/Edge"
import type { Webhook } from "@portico/contract/Webhooks"
import { drawn, seedOfRun } from "@portico/testing/sample/sampled"
import { pass } from "@portico/testing/store/Aging"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { type Census, censusOf, differenceOf, type Rows, textOf, type Write, writesOf } from "../routes/census.ts"
import { outcomes } from "../routes/killed.ts"
import { eventually } from "./children.ts"
import {
  type Answer,
  ask,
  clearFaults,
  Cloud,
  cloudState,
  fault,
  type Gateway,
  startGateway,
  story,
  tenantOf
} from "./harness.ts"

// What routes/kills.test.ts tries in process, here with processes that are killed, and PostgreSQL: the operations of
// several steps, at their writes in other systems. Each death is of another tenant, so that one gateway is killed in the
// middle of many operations.

interface Request {
  readonly path: string
  readonly body?: unknown
}

type Tenant = { readonly name: string } & Effect.Success<ReturnType<typeof tenantOf>>

interface Operation {
  /** Its route, whose outcome is that of a kill in process. */
  readonly of: string
  /** Asked by an operator instead of the tenant. */
  readonly operator?: true
  /** What it is about is there. */
  readonly prepare: (gateway: Gateway, tenant: Tenant) => Effect.Effect<Request>
  /** Seconds of the cloud's clock after which all that was prepared is ready. */
  readonly ready?: number
  /** It writes rows alone, and is killed while it waits for a row of this table. */
  readonly waitsFor?: "accounts" | "targets"
  /** A job goes on with it after the answer, until the tenant is gone. */
  readonly goesOn?: true
  /** How many of its deaths are drawn, by the run's seed, or always alike without one. Most operations have fewer. */
  readonly deaths: number
}

const send = (gateway: Gateway, { of, operator }: Operation, { token }: Tenant, { body, path }: Request) => {
  const [method = ""] = of.split(" ")
  return operator ? gateway.operator(method, path, body) : gateway.customer(token, method, path, body)
}

interface Snapshot {
  readonly kubernetes: {
    readonly objects: Readonly<Record<string, Record<string, { readonly metadata: { creationTimestamp: string } }>>>
  }
}

/** It has to succeed. */
const done = <A>(call: Effect.Effect<Answer<A>>) =>
  Effect.map(call, ({ body, status }) => {
    assert.isBelow(status, 300, JSON.stringify(body))
    return body
  })

const close = ({ name, projectId }: Tenant): Request => ({
  path: `/v1/account/close?project=${projectId}`,
  body: { confirm: name }
})

/** An account that is closing. */
const closed = Effect.fnUntraced(function* (gateway: Gateway, tenant: Tenant, what: "reopen" | "finalize") {
  const { body, path } = close(tenant)
  yield* done(gateway.operator("POST", path, body))
  const { number } = yield* done(gateway.operator<Account>("GET", `/v1/account?project=${tenant.projectId}`))
  return `/v1/tenants/accounts/${number}/${what}`
})

const exposures = "/v1/edge/exposures"

const exposure = ({ name }: Tenant) => ({
  name: "web",
  target: { service: "web", port: 80 },
  domain: `${name}.people.example`
})

const zones = "/v1/dns/zones"

const operations: Readonly<Record<string, Operation>> = {
  "the closing of an account": {
    of: "POST /v1/account/close",
    operator: true,
    waitsFor: "accounts",
    deaths: 1,
    prepare: (_, tenant) => Effect.succeed(close(tenant))
  },
  "the reopening of an account": {
    of: "POST /v1/tenants/accounts/:number/reopen",
    operator: true,
    waitsFor: "accounts",
    deaths: 1,
    prepare: (gateway, tenant) => Effect.map(closed(gateway, tenant, "reopen"), (path) => ({ path }))
  },
  "a change of a webhook": {
    of: "PATCH /v1/webhooks/:webhook_id",
    waitsFor: "targets",
    deaths: 1,
    prepare: (gateway, { token }) =>
      Effect.map(
        done(gateway.customer<Webhook>(token, "POST", "/v1/webhooks", { url: "https://hooks.example/" })),
        ({ webhook_id }) => ({ path: `/v1/webhooks/${webhook_id}`, body: { enabled: false } })
      )
  },
  "an invitation": {
    of: "POST /v1/org/users/invite",
    operator: true,
    deaths: 3,
    prepare: (_, { name, projectId }) =>
      Effect.succeed({
        path: "/v1/org/users/invite",
        body: { email: `${name}@people.example`, role: "customer", project_id: projectId }
      })
  },
  "a rotation": {
    of: "POST /v1/credentials/:credential_id/rotate",
    deaths: 5,
    prepare: (gateway, { token }) =>
      Effect.map(done(gateway.mint(token, "turned")), ({ credential_id }) => ({
        path: `/v1/credentials/${credential_id}/rotate`,
        body: { overlap_seconds: 86_400 }
      }))
  },
  "an exposure": {
    of: "POST /v1/edge/exposures",
    deaths: 6,
    // The first one of a tenant makes its namespace, which stays.
    prepare: Effect.fnUntraced(function* (gateway, tenant) {
      const { token } = tenant
      const body = { ...exposure(tenant), name: "first" }
      const { exposure_id } = yield* done(gateway.customer<Exposure>(token, "POST", exposures, body))
      yield* done(gateway.customer(token, "DELETE", `${exposures}/${exposure_id}`))
      return { path: exposures, body: exposure(tenant) }
    })
  },
  "a tier move": {
    of: "POST /v1/tenants/:project_id/tier",
    operator: true,
    deaths: 9,
    prepare: (_, { projectId }) => Effect.succeed({ path: `/v1/tenants/${projectId}/tier`, body: { tier: "standard" } })
  },
  "an import of a zone": {
    of: "POST /v1/dns/zones/:zone_id/import",
    deaths: 4,
    prepare: Effect.fnUntraced(function* (gateway, { name, token }) {
      const made = gateway.customer<ZoneRow>(token, "POST", zones, { name: `${name}.example.` })
      const zone = `${zones}/${(yield* done(made)).zone_id}`
      const recordset = { name: "www", type: "A", records: ["192.0.2.1"] }
      yield* done(gateway.customer(token, "POST", `${zone}/recordsets`, recordset))
      const zonefile = 'www A 192.0.2.2\nwww A 192.0.2.3\nnew A 192.0.2.1\nmail TXT "a"\n'
      return { path: `${zone}/import`, body: { zonefile, prune: true, dry_run: false } }
    })
  },
  "the end of an account": {
    of: "POST /v1/tenants/accounts/:number/finalize",
    operator: true,
    goesOn: true,
    deaths: 4,
    prepare: (gateway, tenant) =>
      Effect.map(closed(gateway, tenant, "finalize"), (path) => ({ path, body: { reason: "a test" } }))
  },
  "the purge of a project": {
    of: "DELETE /v1/projects/:project_id",
    operator: true,
    goesOn: true,
    deaths: 4,
    prepare: (_, { name, projectId }) => Effect.succeed({ path: `/v1/projects/${projectId}?confirm=${name}` })
  },
  "a restore of a database": {
    of: "POST /v1/databases/:engine/:name/restore",
    ready: 3600,
    deaths: 6,
    prepare: Effect.fnUntraced(function* (gateway, { token }) {
      const body = { engine: "postgres", name: "orders", version: "17", size_gb: 1, backup: { enabled: true } }
      yield* done(gateway.customer(token, "POST", "/v1/databases", body))
      return { path: "/v1/databases/postgres/orders/restore", body: { name: "copy" } }
    })
  }
}

/** Which of them one gateway is in the middle of when it is killed. What may be done by half is not among the others. */
const together: ReadonlyArray<ReadonlyArray<string>> = [
  ["the closing of an account", "the reopening of an account", "a change of a webhook"],
  ["an invitation", "a rotation", "an exposure"],
  ["a tier move", "an import of a zone"],
  ["the end of an account", "the purge of a project"],
  // The last one: no login is valid before the time at which the cloud's clock then is.
  ["a restore of a database"]
]

/** A death at one of the writes: before the first one, or after any. */
interface Death {
  readonly write: Write
  readonly when: "before" | "after"
}

const deathsAt = (what: string, most: number, writes: ReadonlyArray<Write>): ReadonlyArray<Death> =>
  drawn(seedOfRun ?? 1, what, most, [
    ...writes.slice(0, 1).map((write) => ({ write, when: "before" as const })),
    ...writes.map((write) => ({ write, when: "after" as const }))
  ])

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.all({
    accounts: sql<Rows["accounts"][number]>`SELECT * FROM accounts`,
    credentials: sql<Rows["credentials"][number]>`SELECT * FROM credentials`,
    exposures: sql<Rows["exposures"][number]>`SELECT * FROM edge_exposures`,
    onboardings: sql<Rows["onboardings"][number]>`SELECT * FROM onboardings`,
    purges: sql<Rows["purges"][number]>`SELECT * FROM purges`,
    signups: sql<Rows["signups"][number]>`SELECT * FROM signups`,
    targets: sql<Rows["targets"][number]>`SELECT * FROM targets`,
    tenants: sql<Rows["tenants"][number]>`SELECT * FROM tenants`
  })
}).pipe(Effect.orDie)

const census = Effect.map(Effect.all([cloudState, rows]), (_) => censusOf(..._))

const since = (before: Census) => Effect.map(census, (_) => differenceOf(before, _))

const cloud = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { url } = yield* Cloud
  yield* ask(method, `${url}/cloud${path}`, body === undefined ? {} : { body })
})

const log = Effect.flatMap(Cloud, (_) => _.calls)

/** The tenant is gone, and nobody goes on with it. */
const gone = Effect.fnUntraced(function* ({ projectId }: Tenant) {
  const sql = yield* SqlClient.SqlClient
  const left = yield* sql`
    SELECT 'tenant' FROM tenants WHERE project_id = ${projectId}
    UNION ALL SELECT 'purge' FROM purges WHERE project_id = ${projectId}
    UNION ALL SELECT 'account' FROM accounts WHERE lease IS NOT NULL`
  assert.deepStrictEqual(left, [])
})

/**
 * The schedules of backups are of long ago: one that was made just now may get its database yet, so that no sweep takes
 * it. The clock of a gateway is the machine's.
 */
const schedulesAge = Effect.gen(function* () {
  const { url } = yield* Cloud
  const { body } = yield* ask<Snapshot>("GET", `${url}/cloud/snapshot`)
  const schedules = body.kubernetes?.objects["scheduledbackups.postgresql.cnpg.io"] ?? {}
  for (const { metadata } of Object.values(schedules)) metadata.creationTimestamp = "2026-01-01T00:00:00Z"
  assert.strictEqual((yield* ask("PUT", `${url}/cloud/snapshot`, { body })).status, 204)
})

/** What one operation does, several times. */
interface Part {
  readonly all: Census
  readonly times: number
}

const sumOf = (parts: ReadonlyArray<Part>): Census => {
  const sum = new Map<string, number>()
  for (const { all, times } of parts) {
    for (const [kind, count] of all) sum.set(kind, (sum.get(kind) ?? 0) + times * count)
  }
  return differenceOf(new Map(), sum)
}

/** Every way in which each of them was done so often or less. */
const waysOf = ([first, ...others]: ReadonlyArray<Part>): ReadonlyArray<ReadonlyArray<Part>> =>
  first === undefined
    ? [[]]
    : Array.from({ length: first.times + 1 }, (_, times) => times).flatMap((times) =>
        waysOf(others).map((_) => [{ ...first, times }, ..._])
      )

const budget = Object.fromEntries(
  ["CORES", "RAM_GIB", "BLOCK_GIB", "OBJECT_GIB", "FLOATING_IPS"].map((_) => [`SELLABLE_${_}`, "1000000"])
)
const start = startGateway({ ...budget, PURGE_SECONDS: "1", EDGE_SECONDS: "1", EDGE_SWEEP_SECONDS: "2" })

let tenants = 0
const another = Effect.fnUntraced(function* (gateway: Gateway) {
  const name = `tenant-${(tenants += 1)}`
  return { name, ...(yield* tenantOf(gateway, name)) }
})

/** One operation with its tenants, of which the first one's goes to its end. */
const played = Effect.fnUntraced(function* (gateway: Gateway, what: string) {
  const operation = operations[what]
  if (operation === undefined) return assert.fail(what)
  const subjects = yield* Effect.forEach(Array.from({ length: 1 + operation.deaths }), () =>
    Effect.gen(function* () {
      const tenant = yield* another(gateway)
      return { tenant, request: yield* operation.prepare(gateway, tenant) }
    })
  )
  if (operation.ready !== undefined) yield* cloud("POST", "/clock", { advance_seconds: operation.ready })
  const [first, ...others] = subjects
  if (first === undefined) return assert.fail(what)
  const before = yield* census
  yield* cloud("DELETE", "/calls")
  yield* done(send(gateway, operation, first.tenant, first.request))
  if (operation.goesOn) yield* eventually(gone(first.tenant))
  const writes = writesOf(yield* log)
  assert.strictEqual(writes.length === 0, operation.waitsFor !== undefined, what)
  const deaths = deathsAt(what, operation.deaths, writes)
  const doomed = others.slice(0, operation.waitsFor === undefined ? deaths.length : 1)
  return { what, operation, all: yield* since(before), deaths, doomed }
})
type Played = Effect.Success<ReturnType<typeof played>>

/** Other sessions wait for these rows until this is over. */
const holding = Effect.fnUntraced(function* (held: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const ready = yield* Deferred.make<void>()
  const over = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(
    sql.withTransaction(
      Effect.gen(function* () {
        for (const table of held) yield* sql`SELECT FROM ${sql(table)} FOR UPDATE`
        yield* Deferred.succeed(ready, undefined)
        yield* Deferred.await(over)
      })
    )
  )
  yield* Deferred.await(ready)
  return Effect.andThen(Deferred.succeed(over, undefined), Fiber.await(fiber))
})

const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    (_) => _.length
  )
)

/** Begins each of the operations, until all of them hang at their writes. */
const begun = Effect.fnUntraced(function* (gateway: Gateway, all: ReadonlyArray<Played>) {
  const release = yield* holding(all.flatMap(({ operation }) => operation.waitsFor ?? []))
  yield* cloud("DELETE", "/calls")
  let [hanging, locked] = [0, 0]
  for (const { deaths, doomed, operation, what } of all) {
    for (const [index, { request, tenant }] of doomed.entries()) {
      const death = deaths[index]
      if (death !== undefined) yield* fault({ ...death.write, when: death.when, as: "hang" })
      yield* Effect.forkScoped(Effect.exit(send(gateway, operation, tenant, request)))
      if (death === undefined) locked += 1
      else hanging += 1
      yield* eventually(
        Effect.gen(function* () {
          const unanswered = (yield* log).filter((_) => _.status === null).length
          assert.deepStrictEqual([unanswered, yield* waiting], [hanging, locked], what)
        })
      )
    }
  }
  return release
})

const killed = Effect.fnUntraced(function* (gateway: Gateway, names: ReadonlyArray<string>) {
  const all = yield* Effect.forEach(names, (what) => played(gateway, what))
  const because = all.map(({ deaths, what }) => `${what} at ${JSON.stringify(deaths)}`).join(", ")
  const before = yield* census
  const release = yield* begun(gateway, all)
  yield* gateway.kill
  yield* release
  yield* clearFaults
  yield* pass("10 minutes")
  yield* schedulesAge

  const successor = yield* start
  const isWhole = all.every(({ operation }) => outcomes[operation.of] !== "half")
  const parts = all.map(({ all, doomed }) => ({ all, times: doomed.length }))
  const found = yield* eventually(
    Effect.gen(function* () {
      const seen = textOf(yield* since(before))
      const ways = waysOf(parts).filter((_) => textOf(sumOf(_)) === seen)
      if (isWhole) assert.isNotEmpty(ways, `${because}: ${seen}`)
      return ways
    })
  )
  const refused = yield* Effect.forEach(all, ({ doomed, operation, what }) =>
    Effect.map(
      Effect.forEach(doomed, ({ request, tenant }) => send(successor, operation, tenant, request)),
      (answers) => {
        const others = answers.filter((_) => _.status >= 300)
        for (const { body, status } of others) assert.include([404, 409], status, `${what}: ${JSON.stringify(body)}`)
        return others.length
      }
    )
  )
  // What was done already is refused, and nothing else.
  const isRight = found.some((way) => way.every(({ times }, index) => (refused[index] ?? 0) <= times))
  assert.isTrue(isWhole ? isRight : refused.every((_) => _ === 0), `${because}: ${refused.join(", ")}`)
  yield* eventually(
    Effect.map(since(before), (_) => assert.strictEqual(textOf(_), textOf(sumOf(parts)), `${because}, asked again`))
  )
  return successor
})

story("killed operations of several steps leave no leftovers or duplicates, and can be repeated", () =>
  Effect.gen(function* () {
    assert.sameMembers(together.flat(), Object.keys(operations))
    let gateway = yield* start
    for (const names of together) gateway = yield* killed(gateway, names)
  })
)
