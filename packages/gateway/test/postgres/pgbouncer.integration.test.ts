import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually, heard } from "../processes/children.ts"
import { startGateway, story, tenantOf } from "../processes/harness.ts"
import { findingOf, refusalOf } from "./refusals.ts"
import { isInstalled, pgBouncer } from "./PgBouncer.ts"
import { fresh } from "./Postgres.ts"
import { complete, named } from "./releases.ts"

const skipped = complete === undefined || !isInstalled
const release = complete ?? { version: 0, bin: "" }

const shared = "a pooler in front of it shares sessions between transactions, so that notifications do not arrive"

story.skipIf(skipped)(named("gateways work behind a PgBouncer that keeps sessions"), () =>
  Effect.gen(function* () {
    const server = yield* fresh(release)
    const { url } = yield* pgBouncer(server, "session", 50)
    const given = { DATABASE_URL: url, DATABASE_CONNECTIONS: "5" }
    const [first, second] = yield* Effect.all([startGateway(given), startGateway(given)], { concurrency: 2 })
    const { projectId, token } = yield* tenantOf(first, "Acme GmbH")
    const key = yield* first.mint(token, "key")
    assert.strictEqual((yield* second.whoami(key.body.pat ?? "")).status, 200)
    // The second gateway holds the credential in its memory, and hears of its end by a notification.
    assert.strictEqual((yield* first.revoke(token, key.body.credential_id ?? "")).status, 200)
    const refused = Effect.map(second.whoami(key.body.pat ?? ""), (_) => assert.strictEqual(_.status, 401))
    yield* eventually(refused, heard)
    assert.strictEqual((yield* second.moveTier(projectId, "standard")).status, 200)
    assert.strictEqual((yield* findingOf(url)).state, "ok")
  }).pipe(Effect.provide(NodeServices.layer))
)

story.skipIf(skipped)(
  named("no gateway starts behind a PgBouncer in transaction mode, and the doctor gives the reason"),
  () =>
    Effect.gen(function* () {
      const server = yield* fresh(release)
      const { url } = yield* pgBouncer(server, "transaction")
      const [refusal, finding] = yield* Effect.all([refusalOf(url), findingOf(url)], { concurrency: 2 })
      const fix = "Set PgBouncer's pool_mode to session for this database, or name PostgreSQL itself in DATABASE_URL"
      assert.deepStrictEqual(refusal, [1, [`portico: PostgreSQL (DATABASE_URL): ${shared}. ${fix}.`]])
      assert.deepStrictEqual(finding, { code: 1, state: "failed", detail: `PostgreSQL X: ${shared}` })
      // Nothing was migrated.
      assert.strictEqual(
        yield* server.psql("portico", "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"),
        "0"
      )
    }).pipe(Effect.provide(NodeServices.layer))
)
