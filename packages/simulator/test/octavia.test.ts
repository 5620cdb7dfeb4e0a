import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, controlToken, tenantToken } from "./ask.ts"
import { balancedTenant, v2 } from "./octavia.ts"

it.effect("a balancer is locked during its changes, and holds a port of its network until removed", () =>
  Effect.gen(function* () {
    const { network_id, subnet_id, token } = yield* balancedTenant("acme")
    const created = yield* ask("POST", `${v2}/loadbalancers`, {
      token,
      json: { loadbalancer: { name: "lb", vip_subnet_id: subnet_id } }
    })
    assert.strictEqual(created.status, 201)
    const { id, provisioning_status, vip_address } = created.json.loadbalancer
    assert.deepStrictEqual([provisioning_status, vip_address], ["PENDING_CREATE", "10.0.0.3"])
    const url = `${v2}/loadbalancers/${id}`
    const rename = { token, json: { loadbalancer: { name: "other" } } }
    const locked = yield* ask("PUT", url, rename)
    assert.strictEqual(locked.status, 409)
    assert.deepStrictEqual(locked.json, {
      faultcode: "Client",
      faultstring: `Invalid state PENDING_CREATE of loadbalancer resource ${id}`,
      debuginfo: null
    })
    assert.strictEqual((yield* ask("DELETE", `${url}?cascade=true`, { token })).status, 409)
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* ask("GET", url, { token })).json.loadbalancer.provisioning_status, "ACTIVE")
    assert.strictEqual((yield* ask("PUT", url, rename)).json.loadbalancer.provisioning_status, "PENDING_UPDATE")
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* ask("DELETE", `${url}?cascade=true`, { token })).status, 204)
    assert.strictEqual((yield* ask("GET", url, { token })).json.loadbalancer.provisioning_status, "PENDING_DELETE")
    const remove = ask("DELETE", `/network/v2.0/networks/${network_id}`, { token })
    assert.strictEqual((yield* remove).json.NeutronError.type, "NetworkInUse")
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* remove).status, 204)
    assert.strictEqual((yield* ask("GET", url, { token })).status, 404)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("quotas are limits without usage, in the old spelling, with the service's own message", () =>
  Effect.gen(function* () {
    const { projectId, subnet_id, token } = yield* balancedTenant("acme")
    const admin = yield* controlToken
    const url = `${v2}/quotas/${projectId}`
    const put = (json: unknown, as = admin) => ask("PUT", url, { token: as, json })
    assert.strictEqual((yield* put({ quota: { loadbalancer: 2 } }, token)).status, 403)
    assert.strictEqual((yield* put({ quota: { balancers: 2 } })).status, 400)
    assert.strictEqual((yield* put({ quota: { loadbalancer: -2 } })).status, 400)
    const written = yield* put({ quota: { load_balancer: 1 } })
    assert.strictEqual(written.status, 202)
    assert.deepInclude(written.json.quota, { load_balancer: 1, listener: -1, health_monitor: -1 })
    assert.notProperty(written.json.quota, "loadbalancer")
    const { quotas } = (yield* ask("GET", `${v2}/quotas`, { token: admin })).json
    assert.deepInclude(quotas[0], { project_id: projectId, loadbalancer: 1, load_balancer: 1, listener: null })
    const create = ask("POST", `${v2}/loadbalancers`, { token, json: { loadbalancer: { vip_subnet_id: subnet_id } } })
    assert.strictEqual((yield* create).status, 201)
    const over = yield* create
    assert.deepStrictEqual(
      [over.status, over.json],
      [403, { faultcode: "Client", faultstring: "Quota has been met for resources: Load Balancer", debuginfo: null }]
    )
    assert.strictEqual((yield* put({ quota: { loadbalancer: 0 } })).status, 202)
    assert.strictEqual((yield* ask("GET", url, { token })).json.quota.load_balancer, 0)
    assert.strictEqual((yield* ask("GET", `${url}/default`, { token: admin })).json.quota.load_balancer, -1)
    assert.strictEqual((yield* ask("DELETE", url, { token: admin })).status, 202)
    assert.strictEqual((yield* ask("GET", url, { token: admin })).json.quota.load_balancer, -1)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a balancer has an address of the requested subnet, among others of its network", () =>
  Effect.gen(function* () {
    const { network_id, token } = yield* balancedTenant("acme")
    for (const cidr of ["10.7.0.0/24", "10.8.0.0/24"]) {
      const subnet = yield* ask("POST", "/network/v2.0/subnets", {
        token,
        json: { subnet: { network_id, ip_version: 4, cidr } }
      })
      const { loadbalancer } = (yield* ask("POST", `${v2}/loadbalancers`, {
        token,
        json: { loadbalancer: { vip_subnet_id: subnet.json.subnet.id } }
      })).json
      assert.strictEqual(loadbalancer.vip_address.split(".")[1], cidr.split(".")[1])
    }
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("another project's balancer is not listed and is refused, as the stock policy does", () =>
  Effect.gen(function* () {
    const acme = yield* balancedTenant("acme")
    const globex = yield* balancedTenant("globex")
    const created = yield* ask("POST", `${v2}/loadbalancers`, {
      token: acme.token,
      json: { loadbalancer: { vip_subnet_id: acme.subnet_id } }
    })
    yield* TestClock.adjust("5 seconds")
    const url = `${v2}/loadbalancers/${created.json.loadbalancer.id}`
    const { token } = globex
    const table: ReadonlyArray<readonly [string, string, unknown, number]> = [
      ["GET", url, undefined, 403],
      ["PUT", url, { loadbalancer: { name: "mine" } }, 403],
      ["DELETE", url, undefined, 403],
      ["GET", `${v2}/loadbalancers?project_id=${acme.projectId}`, undefined, 403],
      ["POST", `${v2}/loadbalancers`, { loadbalancer: { vip_subnet_id: acme.subnet_id } }, 400],
      [
        "POST",
        `${v2}/loadbalancers`,
        { loadbalancer: { vip_subnet_id: globex.subnet_id, project_id: acme.projectId } },
        403
      ],
      ["GET", `${v2}/quotas/${acme.projectId}`, undefined, 403],
      ["GET", `${v2}/loadbalancers/none`, undefined, 404],
      ["GET", `${v2}/loadbalancers?all_tenants=1`, undefined, 400]
    ]
    for (const [method, path, json, status] of table) {
      assert.strictEqual((yield* ask(method, path, { token, json })).status, status, `${method} ${path}`)
    }
    const list = (token: string, query = "") => ask("GET", `/load-balancer/v2.0/lbaas/loadbalancers${query}`, { token })
    assert.deepStrictEqual((yield* list(token)).json.loadbalancers, [])
    const all = yield* list(yield* controlToken, `?project_id=${acme.projectId}&fields=id`)
    assert.deepStrictEqual(all.json.loadbalancers, [{ id: created.json.loadbalancer.id }])
    const plain = yield* list((yield* tenantToken("initech")).token)
    assert.deepStrictEqual(
      [plain.status, plain.json.faultstring],
      [403, "Policy does not allow this request to be performed."]
    )
    const picky = yield* ask("GET", `${v2}/loadbalancers`, { token, headers: { accept: "text/plain" } })
    assert.strictEqual(picky.status, 406)
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
