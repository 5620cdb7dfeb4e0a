import type { Minted } from "@portico/contract/Credentials"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as redis from "../limits/redis.ts"
import { eventually, heard } from "./children.ts"
import { type Answer, type Gateway, story, tenantOf, twoGateways } from "./harness.ts"

/** A key of a tenant that both gateways have just served, so that both remember it. */
const knownToBoth = Effect.fnUntraced(function* (first: Gateway, second: Gateway) {
  const { token } = yield* tenantOf(first, "Acme GmbH")
  const minted = yield* first.mint(token, "short-lived")
  const key = { id: minted.body.credential_id ?? "", pat: minted.body.pat ?? "", owner: token }
  for (const gateway of [first, second, first, second]) {
    assert.strictEqual((yield* gateway.whoami(key.pat)).status, 200)
  }
  return key
})

const isRefused = ({ body, status }: Answer<unknown>) =>
  assert.deepStrictEqual<unknown>(
    { status, ...body },
    {
      status: 401,
      detail: "Credential has been revoked",
      code: "credential_revoked"
    }
  )

/** Revokes at a gateway. */
const revoke = (gateway: Gateway, key: { readonly id: string; readonly owner: string }) =>
  Effect.map(gateway.revoke(key.owner, key.id), ({ body, status }: Answer<Minted>) =>
    assert.deepStrictEqual([status, body.revoked], [200, true])
  )

/** The sessions that listen for changes, each a gateway's. */
const listeners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly pid: number }>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%portico_credentials%'`
  return rows.map((_) => _.pid)
}).pipe(Effect.orDie)

/** Whether the database takes connections beside those that there are. `ALTER DATABASE` says so of another one only. */
const connections = (allowed: boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql`UPDATE pg_database SET datallowconn = ${allowed} WHERE datname = current_database()`)
  )

story("a key revoked at one gateway is refused there at once, and at the other when notified", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const key = yield* knownToBoth(first, second)
    yield* revoke(first, key)
    isRefused(yield* first.whoami(key.pat))
    yield* eventually(Effect.map(second.whoami(key.pat), isRefused), heard)
    // Not a glimpse: it stays refused, everywhere.
    for (const gateway of [first, second, first, second]) isRefused(yield* gateway.whoami(key.pat))
    assert.strictEqual((yield* second.whoami(key.owner)).status, 200)
  })
)

story("a gateway without notifications caches nothing, and listens again soon", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [first, second] = yield* twoGateways()
    const key = yield* knownToBoth(first, second)
    const another = yield* first.mint(key.owner, "for later")
    const later = { id: another.body.credential_id ?? "", pat: another.body.pat ?? "", owner: key.owner }
    assert.strictEqual((yield* second.whoami(later.pat)).status, 200)

    // No session is left and none can begin, so that a gateway could answer only from what it keeps.
    yield* connections(false)
    yield* sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    const unknown = Effect.map(second.whoami(key.pat), ({ body, status }) =>
      assert.deepStrictEqual([status, body.code], [503, "database_unavailable"])
    )
    yield* eventually(unknown, heard)
    yield* sql`UPDATE credentials SET state = 'revoked' WHERE credential_id = ${key.id}`
    yield* connections(true)
    yield* eventually(Effect.map(second.whoami(key.pat), isRefused), heard)

    yield* eventually(Effect.tap(listeners, (_) => Effect.sync(() => assert.lengthOf(_, 2))))
    assert.strictEqual((yield* second.whoami(later.pat)).status, 200)
    yield* revoke(first, later)
    yield* eventually(Effect.map(second.whoami(later.pat), isRefused), heard)
  })
)

story("gateways survive the loss of all their database sessions", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [first, second] = yield* twoGateways()
    const key = yield* knownToBoth(first, second)
    yield* sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    for (const gateway of [first, second]) {
      yield* eventually(Effect.map(gateway.tenants, (_) => assert.strictEqual(_.status, 200)))
    }
    yield* eventually(Effect.tap(listeners, (_) => Effect.sync(() => assert.lengthOf(_, 2))))
    yield* revoke(second, key)
    yield* eventually(Effect.map(first.whoami(key.pat), isRefused), heard)
    assert.strictEqual((yield* second.onboard("Globex")).status, 201)
  })
)

const name = redis.isInstalled
  ? "with Redis"
  : "NOT TESTED HERE: one allowance for two gateways, because redis-server is not installed"

describe.skipIf(!redis.isInstalled)(name, () => {
  story("one allowance is shared by both gateways", () =>
    Effect.gen(function* () {
      const { url } = yield* redis.redisOn(yield* redis.freePort)
      const [first, second] = yield* twoGateways({ REDIS_URL: url, RATE_LIMIT_RPM_DISCOVERY: "20" })
      let nth = 0
      // For a moment in which the machine is too busy for an answer in time, each gateway counts for itself.
      yield* eventually(
        Effect.gen(function* () {
          const { token } = yield* tenantOf(first, `Tenant ${(nth += 1)}`)
          const statuses: Array<number> = []
          for (let call = 0; call < 30; call++) {
            statuses.push((yield* (call % 2 === 0 ? first : second).whoami(token)).status)
          }
          assert.deepStrictEqual(statuses, [...Array(20).fill(200), ...Array(10).fill(429)])
        })
      )
    })
  )
})
