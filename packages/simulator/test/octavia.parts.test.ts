import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, controlToken } from "./ask.ts"
import { balancedTenant, v2 } from "./octavia.ts"

type Tenant = Effect.Success<ReturnType<typeof balancedTenant>>

const as =
  ({ token }: { readonly token: string }) =>
  (method: string, path: string, json?: unknown) =>
    ask(method, `${v2}${path}`, { token, json })

/** A balancer that is ready, with nothing behind it. */
const balancer = Effect.fnUntraced(function* (tenant: Tenant) {
  const created = yield* as(tenant)("POST", "/loadbalancers", { loadbalancer: { vip_subnet_id: tenant.subnet_id } })
  yield* TestClock.adjust("5 seconds")
  return String(created.json.loadbalancer.id)
})

/** One of each part, made one after the other as each unlocks the tree; ids by collection. */
const furnish = Effect.fnUntraced(function* (tenant: Tenant, loadbalancer_id: string) {
  const made = Effect.fnUntraced(function* (path: string, resource: string, body: object) {
    const answer = yield* as(tenant)("POST", path, { [resource]: body })
    assert.strictEqual(answer.status, 201, `${path}: ${answer.body}`)
    yield* TestClock.adjust("5 seconds")
    return String(answer.json[resource].id)
  })
  const listener = yield* made("/listeners", "listener", { loadbalancer_id, protocol: "HTTP", protocol_port: 80 })
  const pool = yield* made("/pools", "pool", { listener_id: listener, protocol: "HTTP", lb_algorithm: "ROUND_ROBIN" })
  const member = yield* made(`/pools/${pool}/members`, "member", { address: "10.0.0.9", protocol_port: 80 })
  const monitor = { pool_id: pool, type: "TCP", delay: 5, timeout: 3, max_retries: 3 }
  const healthmonitor = yield* made("/healthmonitors", "healthmonitor", monitor)
  const policy = yield* made("/l7policies", "l7policy", { listener_id: listener, action: "REJECT" })
  const match = { type: "PATH", compare_type: "STARTS_WITH", value: "/private" }
  const rule = yield* made(`/l7policies/${policy}/rules`, "rule", match)
  return {
    listener: `/listeners/${listener}`,
    pool: `/pools/${pool}`,
    member: `/pools/${pool}/members/${member}`,
    healthmonitor: `/healthmonitors/${healthmonitor}`,
    l7policy: `/l7policies/${policy}`,
    rule: `/l7policies/${policy}/rules/${rule}`
  }
})

const collectionOf = (path: string) => path.split("/").slice(0, -1).join("/")

it.effect("each write to a part locks the whole tree until the workers are done", () =>
  Effect.gen(function* () {
    const tenant = yield* balancedTenant("acme")
    const id = yield* balancer(tenant)
    const call = as(tenant)
    const parts = yield* furnish(tenant, id)
    const tree = (yield* call("GET", `/loadbalancers/${id}/status`)).json.statuses.loadbalancer
    assert.deepInclude(tree.listeners[0].pools[0].members[0], { address: "10.0.0.9", operating_status: "ONLINE" })
    assert.strictEqual((yield* call("PUT", parts.member, { member: { weight: 5 } })).status, 200)
    const statuses = Effect.forEach(["listener", "pool", "member"] as const, (kind) =>
      Effect.map(call("GET", parts[kind]), (_) => _.json[kind].provisioning_status)
    )
    assert.deepStrictEqual(yield* statuses, ["PENDING_UPDATE", "PENDING_UPDATE", "PENDING_UPDATE"])
    const writes: ReadonlyArray<readonly [string, string, unknown]> = [
      ["PUT", `/loadbalancers/${id}`, { loadbalancer: { name: "x" } }],
      ["DELETE", `/loadbalancers/${id}?cascade=true`, undefined],
      ...Object.entries(parts).flatMap(
        ([resource, path]) =>
          [
            ["PUT", path, { [resource]: { admin_state_up: false } }],
            ["DELETE", path, undefined]
          ] as const
      )
    ]
    for (const [method, path, json] of writes) {
      const answer = yield* call(method, path, json)
      const words = path.startsWith("/loadbalancers/")
        ? `Invalid state PENDING_UPDATE of loadbalancer resource ${id}`
        : `Load Balancer ${id} is immutable and cannot be updated.`
      assert.deepStrictEqual([answer.status, answer.json?.faultstring], [409, words], `${method} ${path}`)
    }
    yield* TestClock.adjust("1 seconds")
    assert.deepStrictEqual(yield* statuses, ["ACTIVE", "ACTIVE", "ACTIVE"])
    assert.strictEqual((yield* call("GET", parts.member)).json.member.weight, 5)
    assert.deepStrictEqual((yield* call("GET", `/loadbalancers/${id}/stats`)).json.stats.total_connections, 0)
    assert.strictEqual((yield* call("PUT", `/loadbalancers/${id}/failover`)).status, 403)
    assert.strictEqual((yield* as({ token: yield* controlToken })("PUT", `/loadbalancers/${id}/failover`)).status, 202)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a balancer with parts is removed only by cascade, and then with all of them", () =>
  Effect.gen(function* () {
    const tenant = yield* balancedTenant("acme")
    const id = yield* balancer(tenant)
    const parts = yield* furnish(tenant, id)
    const call = as(tenant)
    const refused = yield* call("DELETE", `/loadbalancers/${id}`)
    assert.deepStrictEqual(
      [refused.status, refused.json.faultstring],
      [400, `Validation failure: Cannot delete Load Balancer ${id} - it has children`]
    )
    assert.strictEqual((yield* call("DELETE", parts.pool)).status, 204)
    yield* TestClock.adjust("5 seconds")
    for (const kind of ["pool", "member", "healthmonitor"] as const) {
      assert.strictEqual((yield* call("GET", parts[kind])).status, 404, kind)
    }
    assert.isNull((yield* call("GET", parts.listener)).json.listener.default_pool_id)
    assert.strictEqual((yield* call("DELETE", `/loadbalancers/${id}?cascade=True`)).status, 204)
    yield* TestClock.adjust("5 seconds")
    const state = yield* (yield* SimulatedCloud).state
    const kept = Object.entries(state).filter(([kind, things]) => kind.startsWith("octavia.") && things.length > 0)
    assert.deepStrictEqual(kept, [])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("another project's parts are refused, are not listed, and cannot be referenced", () =>
  Effect.gen(function* () {
    const [acme, globex] = [yield* balancedTenant("acme"), yield* balancedTenant("globex")]
    const id = yield* balancer(acme)
    const parts = yield* furnish(acme, id)
    const [listener_id, pool_id] = [parts.listener, parts.pool].map((_) => _.split("/")[2])
    const call = as(globex)
    const attempts: ReadonlyArray<readonly [string, string, unknown, number]> = [
      ...Object.entries(parts).flatMap(
        ([resource, path]) =>
          [
            ["GET", path, undefined, 403],
            ["PUT", path, { [resource]: { admin_state_up: false } }, 403],
            ["DELETE", path, undefined, 403]
          ] as const
      ),
      ["POST", "/listeners", { listener: { loadbalancer_id: id, protocol: "TCP", protocol_port: 1 } }, 403],
      ["POST", "/pools", { pool: { listener_id, protocol: "HTTP", lb_algorithm: "ROUND_ROBIN" } }, 403],
      ["POST", `/pools/${pool_id}/members`, { member: { address: "10.0.0.1", protocol_port: 1 } }, 403],
      ["GET", `/pools/${pool_id}/members`, undefined, 403],
      ["GET", `/listeners?project_id=${acme.projectId}`, undefined, 403],
      ["GET", "/listeners/none", undefined, 404],
      ["GET", `/loadbalancers/${id}/status`, undefined, 403],
      ["GET", `/loadbalancers/${id}/stats`, undefined, 403]
    ]
    for (const [method, path, json, status] of attempts) {
      assert.strictEqual((yield* call(method, path, json)).status, status, `${method} ${path}`)
    }
    const admin = as({ token: yield* controlToken })
    for (const collection of ["listeners", "pools", "healthmonitors", "l7policies"]) {
      assert.deepStrictEqual((yield* call("GET", `/${collection}`)).json[collection], [], collection)
      assert.strictEqual(
        (yield* admin("GET", `/${collection}?project_id=${acme.projectId}`)).json[collection].length,
        1
      )
      assert.strictEqual((yield* admin("GET", `/${collection}?all_tenants=1`)).status, 400, collection)
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("invalid parts are refused", () =>
  Effect.gen(function* () {
    const tenant = yield* balancedTenant("acme")
    const id = yield* balancer(tenant)
    const parts = yield* furnish(tenant, id)
    const [, , listener_id = ""] = parts.listener.split("/")
    const [, , pool_id = ""] = parts.pool.split("/")
    const listener = { loadbalancer_id: id, protocol: "TCP", protocol_port: 81 }
    const members = collectionOf(parts.member)
    const table: ReadonlyArray<readonly [string, unknown, number, RegExp]> = [
      ["/listeners", { listeners: {} }, 400, /Missing argument/],
      ["/listeners", { listener: { ...listener, colour: "red" } }, 400, /Unknown attribute .*: colour/],
      ["/listeners", { listener: { ...listener, protocol: undefined } }, 400, /protocol.*Mandatory field missing/],
      ["/listeners", { listener: { ...listener, protocol: "FTP" } }, 400, /protocol/],
      ["/listeners", { listener: { ...listener, protocol_port: 65536 } }, 400, /protocol_port/],
      ["/listeners", { listener: { ...listener, protocol_port: 80 } }, 409, /already using/],
      ["/listeners", { listener: { ...listener, default_pool_id: listener_id } }, 404, /Pool .* not found/],
      ["/pools", { pool: { protocol: "TCP", lb_algorithm: "ROUND_ROBIN" } }, 400, /at least one of/],
      ["/pools", { pool: { listener_id, protocol: "HTTP", lb_algorithm: "ROUND_ROBIN" } }, 409, /default pool/],
      [members, { member: { address: "10.0.0.9", protocol_port: 80 } }, 409, /already using/],
      [members, { member: { address: "ten", protocol_port: 80 } }, 400, /address/],
      [members, { member: { address: "10.0.0.8", protocol_port: 80, subnet_id: pool_id } }, 404, /Subnet/],
      [
        "/healthmonitors",
        { healthmonitor: { pool_id, type: "TCP", delay: 1, timeout: 1, max_retries: 1 } },
        409,
        /has/
      ],
      ["/l7policies", { l7policy: { listener_id, action: "REDIRECT_TO_URL" } }, 400, /redirect_url/],
      [collectionOf(parts.rule), { rule: { type: "HEADER", compare_type: "EQUAL_TO", value: "x" } }, 400, /needs a key/]
    ]
    for (const [path, json, status, words] of table) {
      const answer = yield* as(tenant)("POST", path, json)
      assert.strictEqual(answer.status, status, `${path} ${JSON.stringify(json)}: ${answer.body}`)
      assert.match(answer.json.faultstring, words)
    }
    const udp = yield* as(tenant)("POST", "/listeners", {
      listener: { ...listener, protocol: "UDP", protocol_port: 80, project_id: "somebody" }
    })
    assert.deepStrictEqual([udp.status, udp.json.listener.project_id], [201, tenant.projectId])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a tree is created in one call, whole or not at all, within the quotas of every kind", () =>
  Effect.gen(function* () {
    const tenant = yield* balancedTenant("acme")
    const admin = as({ token: yield* controlToken })
    const member = (address: string) => ({ address, protocol_port: 80 })
    const create = as(tenant)("POST", "/loadbalancers", {
      loadbalancer: {
        vip_subnet_id: tenant.subnet_id,
        pools: [{ name: "spare", protocol: "HTTP", lb_algorithm: "SOURCE_IP", members: [member("10.0.0.7")] }],
        listeners: [
          { protocol: "HTTP", protocol_port: 80, default_pool: { name: "spare" } },
          {
            protocol: "HTTP",
            protocol_port: 8080,
            default_pool: { protocol: "HTTP", lb_algorithm: "ROUND_ROBIN", members: [member("10.0.0.8")] },
            l7policies: [{ action: "REJECT", rules: [{ type: "PATH", compare_type: "REGEX", value: "x" }] }]
          }
        ]
      }
    })
    yield* admin("PUT", `/quotas/${tenant.projectId}`, { quota: { member: 1 } })
    const refused = yield* create
    assert.deepStrictEqual(
      [refused.status, refused.json.faultstring],
      [403, "Quota has been met for resources: Member"]
    )
    const { world } = yield* SimulatedCloud
    assert.deepStrictEqual([world.octavia.loadbalancers, world.octavia.pools], [{}, {}])
    yield* admin("PUT", `/quotas/${tenant.projectId}`, { quota: { member: 2, l7rule: 1 } })
    const created = yield* create
    assert.strictEqual(created.status, 201, created.body)
    assert.strictEqual(created.json.loadbalancer.listeners.length, 2)
    yield* TestClock.adjust("5 seconds")
    const list = (path: string) => as(tenant)("GET", path)
    assert.strictEqual((yield* list("/pools?name=spare")).json.pools[0].members.length, 1)
    const page = yield* list("/listeners?limit=1&sort=protocol_port:desc&fields=protocol_port,id")
    assert.deepStrictEqual(Object.keys(page.json.listeners[0]).toSorted(), ["id", "protocol_port"])
    assert.strictEqual(page.json.listeners[0].protocol_port, 8080)
    const next = new URL(page.json.listeners_links[0].href)
    assert.strictEqual(next.pathname, "/load-balancer/v2/lbaas/listeners")
    const rest = yield* ask("GET", `${next.pathname}${next.search}`, { token: tenant.token })
    assert.strictEqual(rest.json.listeners[0].protocol_port, 80)
    for (const query of ["limit=x", "marker=none", "sort=colour", "sort=id:up"]) {
      assert.strictEqual((yield* list(`/listeners?${query}`)).status, 400, query)
    }
    const pool: string = (yield* list("/pools?name=spare")).json.pools[0].id
    const members = `/pools/${pool}/members`
    assert.strictEqual((yield* as(tenant)("PUT", members, { members: [member("10.0.0.6")] })).status, 403)
    yield* admin("PUT", `/quotas/${tenant.projectId}`, { quota: { member: -1 } })
    assert.strictEqual((yield* as(tenant)("PUT", members, { members: [member("10.0.0.6")] })).status, 202)
    yield* TestClock.adjust("5 seconds")
    const addresses = (yield* list(members)).json.members.map((_: { address: string }) => _.address)
    assert.deepStrictEqual(addresses, ["10.0.0.6"])
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("the operator's offers are readable, and their internals only by administrators", () =>
  Effect.gen(function* () {
    const call = as(yield* balancedTenant("acme"))
    const providers = yield* call("GET", "/providers")
    assert.deepStrictEqual(
      providers.json.providers.map((_: { name: string }) => _.name),
      ["amphora", "octavia"]
    )
    assert.deepStrictEqual((yield* call("GET", "/flavors")).json.flavors, [])
    assert.strictEqual((yield* call("GET", "/flavorprofiles")).status, 403)
    assert.strictEqual((yield* as({ token: yield* controlToken })("GET", "/flavorprofiles")).status, 200)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
