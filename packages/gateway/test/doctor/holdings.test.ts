import { assert, layer } from "@effect/vitest"
import { examine } from "@portico/gateway/doctor/examine"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as Store from "@portico/store/Store"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { PgClient } from "@effect/sql-pg"
import { ConfigProvider, Duration, Effect, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Cast, type Tenant } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"

const sellable = Object.fromEntries(
  ["CORES", "RAM_GIB", "BLOCK_GIB", "OBJECT_GIB", "FLOATING_IPS"].map((_) => [`SELLABLE_${_}`, "100"])
)

/** What the doctor says of a database that holds these tenants, and of the cloud. */
const found = Effect.fnUntraced(function* (tenants: ReadonlyArray<Tenant>, map: Readonly<Record<string, string>> = {}) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM tenants`
  for (const { name, projectId } of tenants) {
    yield* sql`WITH account AS (INSERT INTO accounts (name) VALUES (${name}) RETURNING number)
      INSERT INTO tenants (project_id, slug, name, tier, stamp, account_n)
      SELECT ${projectId}, ${name.toLowerCase()}, ${name}, 'standard', 'portico-attempt:1', number FROM account`
  }
  const env = {
    ...gatewaySettings((yield* Server).url),
    ...sellable,
    DATABASE_URL: Redacted.value((yield* TestDatabase).url),
    TENANT_MAP: JSON.stringify(map)
  }
  const findings = yield* Stream.runCollect(examine(Duration.minutes(5), { records: true })).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
  return findings.filter((_) => _.check === "records" && /S3 user|zone|cannot/.test(_.detail)).map((_) => _.detail)
})

/** A bucket and a zone. */
const furnished = Effect.fnUntraced(function* ({ name, tokens }: Tenant) {
  const { call } = yield* TestGateway
  const ask = { token: tokens[2] }
  const slug = name.toLowerCase()
  const bucket = yield* call("customer", "POST", "/v1/object-storage/buckets", {
    ...ask,
    body: { name: `${slug}-files` }
  })
  const zone = yield* call("customer", "POST", "/v1/dns/zones", { ...ask, body: { name: `${slug}.example.` } })
  assert.deepStrictEqual([bucket.status, zone.status], [201, 201], bucket.text + zone.text)
})

/** The gateway keeps its records in memory, so that the doctor's database has what a story puts there. */
const Stage = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layer),
  Layer.merge(
    Layer.unwrap(
      Effect.map(TestDatabase, ({ url }) => Store.layerNoDeps.pipe(Layer.provide(PgClient.layer({ url }))))
    ).pipe(Layer.provideMerge(TestDatabase.layer))
  )
)

layer(Stage, { excludeTestServices: true })("the resources of projects", (it) => {
  it.effect("are known by the database's tenants, and listed without one", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      for (const tenant of [acme, globex]) yield* furnished(tenant)
      const held = [
        `S3 users, with their buckets and keys, without a tenant: tenant$${globex.projectId} (globex-files; 1 key)`,
        `zones without a tenant: globex.example. (${globex.projectId})`
      ]
      assert.deepStrictEqual(yield* found([acme, globex]), [])
      assert.deepStrictEqual(yield* found([acme]), held)
      assert.deepStrictEqual(yield* found([acme], { alice: globex.projectId }), [])

      const { world } = yield* SimulatedCloud
      delete world.keystone.projects[globex.projectId]
      assert.deepStrictEqual(yield* found([acme]), held)
    })
  )
})

layer(Layer.fresh(Stage), { excludeTestServices: true })("the resources of projects, beyond the tenants'", (it) => {
  it.effect("exclude the platform's own, and a missing S3 user is reported", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      yield* furnished(acme)
      const { world } = yield* SimulatedCloud
      for (const zone of Object.values(world.designate.zones)) zone.project_id = fixtures.adminProjectId
      assert.deepStrictEqual(yield* found([acme, globex]), [])
      delete world.rgw.users[`tenant$${acme.projectId}`]
      assert.deepStrictEqual(yield* found([acme, globex]), [`tenants without an S3 user: acme (${acme.projectId})`])
    })
  )

  it.effect("are read completely, and twenty of a kind are listed", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { world } = yield* SimulatedCloud
      const like = world.rgw.users[`tenant$${globex.projectId}`]
      assert.isDefined(like)
      for (let nth = 0; nth < 1100; nth++) {
        const user_id = `f${String(nth).padStart(31, "0")}`
        const uid = `tenant$${user_id}`
        world.rgw.users[uid] = { ...like!, uid, user_id, keys: [] }
      }
      const [first = "", ...more] = yield* found([acme, globex])
      assert.match(first, /^S3 users, .* tenant\$f0{31} \(no bucket; 0 keys\), .* and 1080 more$/)
      assert.isAtMost(more.length, 1)
    })
  )
})
