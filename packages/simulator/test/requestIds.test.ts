import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { ask, tenantToken } from "./ask.ts"
import { small, tenant } from "./nova.ts"

const openstack = "x-openstack-request-id"
const compute = "x-compute-request-id"

/** Service, path, then the headers of its root, of a 401, of an answer to a member, and of a path without a route. */
const rows = [
  ["identity", "/v3/auth/tokens", [openstack], [openstack], [openstack], [openstack]],
  ["compute", "/v2.1/servers", [], [openstack, compute], [openstack, compute], [openstack, compute]],
  ["network", "/v2.0/networks", [], [openstack], [openstack], [openstack]],
  ["volume", "/v3/{project}/volumes", [openstack], [openstack], [openstack, compute], [openstack, compute]],
  ["image", "/v2/images", [], [], [openstack], [openstack]],
  ["dns", "/v2/zones", [], [openstack], [openstack], [openstack]],
  ["load-balancer", "/v2/lbaas/pools", [openstack], [openstack], [openstack], [openstack]],
  ["key-manager", "/v1/secrets", [], [], [openstack], [openstack]]
] as const

const pattern = /^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Answered = { readonly headers: Readonly<Record<string, string>> }

const identifiedBy = ({ headers }: Answered): ReadonlyArray<string> => {
  const names = [openstack, compute].filter((_) => headers[_] !== undefined)
  for (const name of names) assert.match(headers[name] ?? "", pattern)
  assert.isAtMost(new Set(names.map((_) => headers[_])).size, 1)
  return names
}

for (const [mount, path, root, anonymous, member, unrouted] of rows) {
  it.effect(`${mount} puts the request's id where the service does`, () =>
    Effect.gen(function* () {
      const { projectId, token } = yield* tenantToken("acme")
      const at = `/${mount}${path.replace("{project}", projectId)}`
      assert.deepStrictEqual(identifiedBy(yield* ask("GET", `/${mount}/`)), [...root])
      assert.deepStrictEqual(identifiedBy(yield* ask("GET", at)), [...anonymous])
      assert.deepStrictEqual(identifiedBy(yield* ask("GET", at, { token })), [...member])
      assert.deepStrictEqual(identifiedBy(yield* ask("GET", `${at}/x/y/z/w`, { token })), [...unrouted])
    }).pipe(Effect.provide(SimulatedCloud.layerMemory))
  )
}

it.effect("only image and key manager take the caller's request id", () =>
  Effect.gen(function* () {
    const { token } = yield* tenantToken("acme")
    const sent = (target: string, id: string) =>
      Effect.map(ask("GET", target, { token, headers: { [openstack]: id } }), (_) => _.headers[openstack])
    assert.strictEqual(yield* sent("/image/v2/images", "req-mine"), "req-mine")
    assert.strictEqual(yield* sent("/image/v2/images", "mine"), "req-mine")
    assert.strictEqual(yield* sent("/key-manager/v1/secrets", "mine"), "mine")
    assert.match((yield* sent("/network/v2.0/networks", "req-mine")) ?? "", pattern)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("bodies and records have the id of their own request", () =>
  Effect.gen(function* () {
    const acme = yield* tenant("acme")
    const refused = yield* ask("GET", "/dns/v2/zones/x", { token: acme.token })
    assert.strictEqual(refused.status, 400)
    assert.strictEqual(refused.json.request_id, refused.headers[openstack])
    const again = yield* ask("GET", "/dns/v2/tlds", { token: acme.token })
    assert.strictEqual(again.json.request_id, again.headers[openstack])
    const made = yield* acme.post("/servers", { server: { ...small, max_count: 2 } })
    const { servers } = (yield* acme.get("/servers")).json
    assert.strictEqual(servers.length, 2)
    for (const { id } of servers) {
      const { instanceActions } = (yield* acme.get(`/servers/${id}/os-instance-actions`)).json
      assert.strictEqual(instanceActions[0].request_id, made.headers[compute])
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
