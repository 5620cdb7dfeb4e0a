import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../processes/children.ts"
import { startGateway, story, tenantOf } from "../processes/harness.ts"
import { fresh, replicaOf } from "./Postgres.ts"
import { complete, named } from "./releases.ts"
import { findingOf, refusalOf } from "./refusals.ts"

const release = complete ?? { version: 0, bin: "" }

story.skipIf(complete === undefined)(
  named("a database that becomes read-only refuses writes with 503 until it is writable"),
  () =>
    Effect.gen(function* () {
      const primary = yield* fresh(release)
      const url = primary.url("portico")
      const gateway = yield* startGateway({ DATABASE_URL: url })
      const { token } = yield* tenantOf(gateway, "Acme GmbH")
      const readOnly = Effect.fnUntraced(function* (value: "on" | "off") {
        yield* primary.psql("postgres", `ALTER SYSTEM SET default_transaction_read_only = ${value}`)
        yield* primary.psql("postgres", "SELECT pg_reload_conf()")
      })
      yield* readOnly("on")
      const refused = Effect.map(gateway.mint(token, "refused"), ({ body, status }) =>
        assert.deepStrictEqual([status, body.code], [503, "database_unavailable"])
      )
      yield* eventually(refused)
      assert.strictEqual((yield* gateway.tenants).status, 200)
      assert.strictEqual((yield* gateway.whoami(token)).status, 200)
      assert.deepStrictEqual(yield* findingOf(url), {
        code: 1,
        state: "failed",
        detail: "PostgreSQL X: its transactions are read-only, so nothing can be written"
      })
      yield* readOnly("off")
      const taken = Effect.map(gateway.mint(token, "taken"), (_) => assert.strictEqual(_.status, 201))
      yield* eventually(taken)
    }).pipe(Effect.provide(NodeServices.layer))
)

story.skipIf(complete === undefined)(named("a statement that PostgreSQL ends after its time is a 503"), () =>
  Effect.gen(function* () {
    const server = yield* fresh(release)
    yield* server.psql("postgres", "ALTER DATABASE portico SET statement_timeout = '5s'")
    const gateway = yield* startGateway({ DATABASE_URL: server.url("portico") })
    const { token } = yield* tenantOf(gateway, "Acme GmbH")
    const kept = yield* gateway.mint(token, "kept")
    const holding = "SET statement_timeout = 0; BEGIN; LOCK TABLE credentials; SELECT pg_sleep(3600)"
    yield* Effect.forkScoped(Effect.exit(server.psql("portico", holding)))
    const holder =
      "SELECT pid FROM pg_locks WHERE relation = 'credentials'::regclass AND mode = 'AccessExclusiveLock' AND granted"
    yield* eventually(Effect.map(server.psql("portico", holder), (_) => assert.match(_, /\d/)))
    const { body, status } = yield* gateway.mint(token, "late")
    assert.deepStrictEqual([status, body.code], [503, "database_unavailable"])
    yield* server.psql("portico", `SELECT pg_terminate_backend(pid) FROM (${holder}) AS holder`)
    const taken = Effect.map(gateway.mint(token, "taken"), (_) => assert.strictEqual(_.status, 201))
    yield* eventually(taken)
    assert.strictEqual((yield* gateway.whoami(kept.body.pat ?? "")).status, 200)
  }).pipe(Effect.provide(NodeServices.layer))
)

story.skipIf(complete === undefined)(named("no gateway starts on a standby, and the doctor gives the reason"), () =>
  Effect.gen(function* () {
    const primary = yield* fresh(release)
    const standby = yield* replicaOf(primary, "standby")
    const url = standby.url("portico")
    const [refusal, finding] = yield* Effect.all([refusalOf(url), findingOf(url)], { concurrency: 2 })
    assert.deepStrictEqual(refusal, [
      1,
      [
        "portico: PostgreSQL (DATABASE_URL): it is a standby, so nothing can be written. Name the primary in DATABASE_URL."
      ]
    ])
    assert.deepStrictEqual(finding, {
      code: 1,
      state: "failed",
      detail: "PostgreSQL X: it is a standby, so nothing can be written"
    })
  }).pipe(Effect.provide(NodeServices.layer))
)
