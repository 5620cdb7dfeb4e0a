import { assert, it } from "@effect/vitest"
import type { AuditData } from "@portico/contract/Events"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { MinimumTier, PlatformAdmin, tierOf } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { foldUsage, idlePosts, showUsage } from "@portico/domain/credentials/usage"
import { EventLog } from "@portico/store/EventLog"
import { Context, DateTime, Effect, type Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { administrator, callerOf, ownerOf } from "@portico/testing/tenants/caller"
import { Simulated } from "@portico/testing/cloud/Simulated"

const owned = Effect.gen(function* () {
  const { caller, tenant } = yield* ownerOf("standard")
  const { credential_id: id } = yield* mint(caller, tenant, { kind: "mcp", tier: 1, label: "agent" })
  const log = yield* EventLog
  let second = 0
  const published = (topic: string, key: string, data: Schema.JsonObject) =>
    log.append([{ id: randomUUID(), topic, key, at: DateTime.makeUnsafe(++second * 1000), envelope: { data } }])
  const written = (change: Partial<AuditData> = {}, key = id) =>
    published("api.audit", key, {
      method: "POST",
      route: "/v1/iaas/compute/servers",
      resources: [],
      status: 202,
      parameters: [],
      fields: null,
      user_id: id,
      credential_id: id,
      tier: 1,
      source: null,
      request_id: "",
      ...change
    })
  const row = Effect.gen(function* () {
    yield* foldUsage
    const { usage } = yield* showUsage(caller, true)
    const found = usage.find((_) => _.credential_id === id)
    return [found?.call_count, found?.last_used_at]
  })
  return { caller, tenant, id, published, written, row }
})

it.effect("only successful writes count, not refused, failed or unanswered ones", () =>
  Effect.gen(function* () {
    const { row, written } = yield* owned
    const done = [200, 201, 202, 204, 302, 101]
    for (const status of done) yield* written({ status })
    assert.deepStrictEqual(yield* row, [done.length, "1970-01-01T00:00:06.000Z"])
    for (const status of [400, 401, 403, 404, 409, 422, 500, 502, null]) yield* written({ status })
    assert.deepStrictEqual(yield* row, [done.length, "1970-01-01T00:00:06.000Z"])
  }).pipe(Effect.provide(Simulated))
)

it.effect("mints do not count as calls, and similar writes of other routes do", () =>
  Effect.gen(function* () {
    const { row, written } = yield* owned
    yield* written({ route: "/v1/credentials", status: 201 })
    yield* written({ route: "/v1/credentials/:credential_id/rotate", status: 201 })
    assert.deepStrictEqual(yield* row, [0, null])
    yield* written({ route: "/v1/credentials/:credential_id", method: "DELETE", status: 200 })
    yield* written({ route: "/v1/tenants", status: 201 })
    assert.deepStrictEqual((yield* row)[0], 2)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a read recorded for its secret does not count, and an upgraded one does", () =>
  Effect.gen(function* () {
    const { row, written } = yield* owned
    for (const method of ["GET", "HEAD"]) {
      yield* written({ method, route: "/v1/object-storage/credentials", status: 200 })
    }
    assert.deepStrictEqual(yield* row, [0, null])
    yield* written({ method: "GET", route: "/v1/kubernetes/api/v1/namespaces/:namespace/pods/:name/exec", status: 101 })
    assert.deepStrictEqual((yield* row)[0], 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("tool calls count by the agent's machine user, and writes by the credential", () =>
  Effect.gen(function* () {
    const { id, published, row, written } = yield* owned
    yield* written()
    yield* published("agent.actions", id, { tool: "anything" })
    yield* published("agent.actions", "somebody-else", {})
    yield* published("iam.credentials", id, {})
    yield* written({}, "unknown")
    assert.deepStrictEqual(yield* row, [2, "1970-01-01T00:00:02.000Z"])
  }).pipe(Effect.provide(Simulated))
)

it.effect("an unreadable event counts for nothing and does not stop the fold", () =>
  Effect.gen(function* () {
    const { id, published, row, written } = yield* owned
    yield* published("api.audit", id, {})
    yield* published("api.audit", id, { method: 7, status: "200" })
    yield* written()
    assert.deepStrictEqual((yield* row)[0], 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("more events than one step takes are all counted", () =>
  Effect.gen(function* () {
    const { row, written } = yield* owned
    for (let nth = 0; nth < 2500; nth++) yield* written()
    assert.deepStrictEqual((yield* row)[0], 2500)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a tenant sees its own, an administrator all, and revoked ones on request", () =>
  Effect.gen(function* () {
    const { caller, id } = yield* owned
    const counts = (who: typeof caller, includeRevoked: boolean) =>
      Effect.map(showUsage(who, includeRevoked), ({ count, usage }) => [count, usage.length])
    assert.deepStrictEqual(yield* counts(caller, false), [2, 2])
    assert.deepStrictEqual(yield* counts(administrator, false), [2, 2])
    assert.deepStrictEqual(yield* counts(callerOf("another-project"), true), [0, 0])
    yield* revoke(caller, id)
    assert.deepStrictEqual(yield* counts(caller, false), [1, 1])
    assert.deepStrictEqual(yield* counts(caller, true), [2, 2])
  }).pipe(Effect.provide(Simulated))
)

it.effect("acts open to tier 0 do not count as writes, at any tier", () =>
  Effect.gen(function* () {
    const { row, written } = yield* owned
    const idle = [
      "/v1/credentials",
      "/v1/workload-identity/token-exchange",
      "/v1/iaas/identity/auth/tokens",
      "/v1/iaas/identity/v3/auth/tokens",
      "/v1/kubernetes/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      "/v1/kubernetes/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
      "/v1/kubernetes/apis/authentication.k8s.io/v1/selfsubjectreviews"
    ]
    for (const tier of [0, 1, 2] as const) {
      for (const route of idle) yield* written({ route, tier, status: 201 })
    }
    yield* written({ tier: 0, route: "/v1/whatever/comes", status: 200 })
    assert.deepStrictEqual(yield* row, [0, null])
    yield* written({ tier: 1, route: "/v1/kubernetes/apis/apps/v1/namespaces/:namespace/deployments" })
    yield* written({ tier: 2, route: "/v1/workload-identity/token-exchange", method: "DELETE" })
    assert.strictEqual((yield* row)[0], 2)
  }).pipe(Effect.provide(Simulated))
)

it("every write method open to tier 0 is listed as one that writes nothing", () => {
  const open: Array<string> = []
  HttpApi.reflect(OperatorApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const isPlatforms = [...middleware].some((_) => _.key === PlatformAdmin.key)
      // A proxied call is decided on by its path.
      if (isPlatforms || endpoint.path.endsWith("/*") || tierOf(endpoint.method) === 0) return
      if (Context.get(endpoint.annotations, MinimumTier) === 0) open.push(`${endpoint.method} ${endpoint.path}`)
    }
  })
  assert.isNotEmpty(open)
  for (const name of open) {
    assert.isTrue(
      idlePosts.some((_) => _.test(name.replace(/^POST /, ""))),
      name
    )
  }
})
