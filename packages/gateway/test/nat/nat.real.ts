import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator } from "../real/Administrator.ts"
import { guest, through } from "../real/Guests.ts"
import { realCloud } from "../real/RealGateway.ts"

/** The gateway of a router, as Neutron's administrator sees it. */
const uplinkOf = Effect.fnUntraced(function* (routerId: string) {
  const { router } = yield* (yield* Administrator).read("network", `/routers/${routerId}`)
  return router.external_gateway_info
})

/** The port that holds the address; another one means that the router was moved. */
const portOf = Effect.fnUntraced(function* (routerId: string) {
  const query = `device_id=${routerId}&device_owner=network:router_gateway`
  const { ports } = yield* (yield* Administrator).read("network", `/ports?${query}`)
  assert.lengthOf(ports, 1)
  return String(ports[0].id)
})

layer(realCloud, { excludeTestServices: true })("NAT gateways on the real Neutron", (it) => {
  it.effect("a gateway is turned off and on again, and the uplink keeps its network, port and address", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const acme = yield* guest("nat-acme")
      const globex = yield* guest("nat-globex")
      const [read, operate, destroy] = acme.tokens
      const id = `ngw-${acme.routerId}`
      const before = yield* uplinkOf(acme.routerId)
      const port = yield* portOf(acme.routerId)
      assert.strictEqual(before.enable_snat, true)

      const listed = jsonOf(yield* call("customer", "GET", "/v1/nat-gateways", { token: read }))
      assert.strictEqual(listed.count, 1)
      assert.deepInclude(listed.nat_gateways[0], {
        ngw_id: id,
        state: "active",
        router_id: acme.routerId,
        network_id: acme.networkId,
        external_network_id: before.network_id,
        public_ip: before.external_fixed_ips[0].ip_address
      })
      assert.lengthOf(listed.nat_gateways[0].subnet_ids, 1)

      const foreign = yield* call("customer", "DELETE", `/v1/nat-gateways/${id}`, { token: globex.tokens[2] })
      assert.deepStrictEqual([foreign.status, jsonOf(foreign).code], [404, "nat_gateway_not_found"])
      assert.deepStrictEqual(yield* uplinkOf(acme.routerId), before)

      const deleted = yield* call("customer", "DELETE", `/v1/nat-gateways/${id}`, { token: destroy })
      assert.strictEqual(deleted.status, 200, deleted.text)
      assert.deepStrictEqual(yield* uplinkOf(acme.routerId), { ...before, enable_snat: false })
      assert.strictEqual(yield* portOf(acme.routerId), port)
      const none = yield* call("customer", "GET", "/v1/nat-gateways", { token: read })
      assert.deepStrictEqual(jsonOf(none), { count: 0, nat_gateways: [] })

      // A router of the tenant's own is none, and is given no uplink.
      const own = yield* through(operate, "POST", "/network/routers", { body: { router: { name: "own" } } })
      assert.strictEqual(own.status, 201, own.text)
      const made = yield* call("customer", "POST", "/v1/nat-gateways", { token: operate })
      assert.deepStrictEqual([made.status, jsonOf(made)], [201, listed.nat_gateways[0]])
      assert.deepStrictEqual(yield* uplinkOf(acme.routerId), before)
      assert.strictEqual(yield* portOf(acme.routerId), port)
      assert.isNull(yield* uplinkOf(jsonOf(own).router.id))
      yield* through(destroy, "DELETE", `/network/routers/${jsonOf(own).router.id}`)
    })
  )

  it.effect("concurrent creates and deletes move nothing, and each is answered", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const acme = yield* guest("nat-race")
      const token = acme.tokens[2]
      const before = yield* uplinkOf(acme.routerId)
      const id = `ngw-${acme.routerId}`
      const answers = yield* Effect.forEach(
        [0, 1, 2, 3, 4, 5],
        (n) =>
          n % 2 === 0
            ? call("customer", "DELETE", `/v1/nat-gateways/${id}`, { token })
            : call("customer", "POST", "/v1/nat-gateways", { token }),
        { concurrency: "unbounded" }
      )
      for (const { status, text } of answers) assert.include([200, 201, 404, 409], status, text)
      const after = yield* uplinkOf(acme.routerId)
      assert.deepStrictEqual({ ...after, enable_snat: true }, before)
    })
  )

  it.effect("a suspended tenant keeps its gateway and gets no other, and its tier restores that", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const acme = yield* guest("nat-suspended")
      const token = acme.tokens[2]
      const tenant = `/v1/tenants/${acme.projectId}`
      assert.strictEqual((yield* call("operator", "POST", `${tenant}/suspend`, { token: operator })).status, 200)
      assert.strictEqual((yield* uplinkOf(acme.routerId)).enable_snat, true)
      const own = `/v1/nat-gateways/ngw-${acme.routerId}`
      assert.isBelow((yield* call("customer", "DELETE", own, { token })).status, 300)
      const refused = yield* call("customer", "POST", "/v1/nat-gateways", { token })
      assert.deepStrictEqual([refused.status, jsonOf(refused).code], [403, "tenant_suspended"])
      const body = { tier: "discovery" }
      assert.strictEqual((yield* call("operator", "POST", `${tenant}/tier`, { token: operator, body })).status, 200)
      assert.strictEqual((yield* call("customer", "POST", "/v1/nat-gateways", { token })).status, 201)
      assert.strictEqual((yield* uplinkOf(acme.routerId)).enable_snat, true)
    })
  )
})
