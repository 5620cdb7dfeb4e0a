import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { sampled } from "@portico/testing/sample/sampled"
import { Effect } from "effect"
import { eventually } from "../processes/children.ts"
import { startGateway, story, tenantOf } from "../processes/harness.ts"
import { fresh } from "./Postgres.ts"
import { older, promised } from "./releases.ts"

const absent = promised.filter((version) => older.every((_) => _.version !== version))

it.skipIf(absent.length > 0)(
  `every release is installed${absent.length === 0 ? "" : `: skipped, because scripts/parts/postgresql.sh has not fetched ${absent.join(", ")}`}`,
  () => assert.lengthOf(older, promised.length)
)

for (const release of sampled("PostgreSQL releases", 1, older)) {
  story(`PostgreSQL ${release.version} takes every migration, and a tenant's life cycle`, () =>
    Effect.gen(function* () {
      const server = yield* fresh(release)
      const given = { DATABASE_URL: server.url("postgres"), RATE_LIMIT: "off" }
      const gateway = yield* startGateway(given)
      const { projectId, token } = yield* tenantOf(gateway, "Acme GmbH")
      const { body } = yield* gateway.mint(token, "key")
      assert.strictEqual((yield* gateway.whoami(body.pat ?? "")).status, 200)
      assert.strictEqual((yield* gateway.revoke(token, body.credential_id ?? "")).status, 200)
      assert.strictEqual((yield* gateway.moveTier(projectId, "standard")).status, 200)
      // A second one finds the schema as it is, and reads the same records.
      const second = yield* startGateway(given)
      assert.strictEqual((yield* second.tenants).body.tenants?.[0]?.tier, "standard")
      yield* eventually(
        Effect.map(second.customer<{ readonly records: ReadonlyArray<object> }>(token, "GET", "/v1/audit"), (_) =>
          assert.isAbove(_.body.records?.length ?? 0, 1)
        )
      )
      assert.strictEqual((yield* second.operator("DELETE", `/v1/projects/${projectId}?confirm=acme-gmbh`)).status, 202)
      yield* eventually(Effect.map(second.tenants, (_) => assert.deepStrictEqual(_.body.tenants, [])))
    }).pipe(Effect.provide(NodeServices.layer))
  )
}
