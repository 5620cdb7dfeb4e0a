import { assert, layer } from "@effect/vitest"
import { auditTopic } from "@portico/contract/Events"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const absent = (id: string) => ({ detail: `NAT gateway '${id}' not found`, code: "nat_gateway_not_found" })

const gatewayOf = Effect.fnUntraced(function* (routerId: string) {
  const { world } = yield* SimulatedCloud
  return world.neutron.routers[routerId]?.gateway
})

layer(Everything)("NAT gateways over the wire", (it) => {
  it.effect("are read, like quotas, without tags and descriptions of other resources", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const before = (yield* cloud.calls).length
      for (const path of ["/v1/nat-gateways", `/v1/nat-gateways/ngw-${acme.routerId}`, "/v1/quotas"]) {
        assert.strictEqual((yield* call("customer", "GET", path, { token: acme.tokens[0] })).status, 200)
      }
      const lists = (yield* cloud.calls)
        .slice(before)
        .filter((_) => _.method === "GET" && /\/(routers|ports|loadbalancers)$/.test(_.path))
      assert.sameMembers(
        [...new Set(lists.map((_) => _.path.split("/").at(-1)))],
        ["loadbalancers", "ports", "routers"]
      )
      for (const { path, query } of lists) assert.match(query, /(^|&)fields=/, path)
    })
  )

  it.effect("the life of a gateway: listed, shown, deleted, absent, created again", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const [read, operate, destroy] = acme.tokens
      const path = `/v1/nat-gateways/ngw-${acme.routerId}`
      const uplink = yield* gatewayOf(acme.routerId)

      const listed = jsonOf(yield* call("customer", "GET", "/v1/nat-gateways", { token: read }))
      assert.strictEqual(listed.count, 1)
      const [gateway] = listed.nat_gateways
      assert.deepInclude(gateway, {
        ngw_id: `ngw-${acme.routerId}`,
        state: "active",
        router_id: acme.routerId,
        network_id: acme.networkId,
        external_network_id: uplink?.network_id
      })
      assert.match(gateway.public_ip, /^\d+\.\d+\.\d+\.\d+$/)
      const shown = yield* call("customer", "GET", path, { token: read })
      assert.deepStrictEqual([shown.status, jsonOf(shown)], [200, gateway])

      const early = yield* call("customer", "DELETE", path, { token: operate })
      assert.deepInclude(jsonOf(early), { code: "tier_too_low" })
      assert.strictEqual(early.status, 403)
      const deleted = yield* call("customer", "DELETE", path, { token: destroy })
      assert.deepStrictEqual([deleted.status, jsonOf(deleted)], [200, { ...gateway, state: "deleted" }])
      assert.deepStrictEqual(yield* gatewayOf(acme.routerId), uplink && { ...uplink, enable_snat: false })

      const none = yield* call("customer", "GET", "/v1/nat-gateways", { token: read })
      assert.deepStrictEqual(jsonOf(none), { count: 0, nat_gateways: [] })
      for (const method of ["GET", "DELETE"]) {
        const gone = yield* call("customer", method, path, { token: destroy })
        assert.deepStrictEqual([gone.status, jsonOf(gone)], [404, absent(`ngw-${acme.routerId}`)])
      }

      // What the tenant may do at the network service cannot turn it on again.
      const rewritten = yield* call("customer", "PUT", `/v1/iaas/network/routers/${acme.routerId}`, {
        token: destroy,
        body: { router: { external_gateway_info: { network_id: uplink?.network_id } } }
      })
      assert.strictEqual(rewritten.status, 403, rewritten.text)

      assert.strictEqual((yield* call("customer", "POST", "/v1/nat-gateways", { token: read })).status, 403)
      for (const body of [undefined, {}]) {
        const made = yield* call("customer", "POST", "/v1/nat-gateways", { token: operate, body })
        assert.deepStrictEqual([made.status, jsonOf(made)], [201, gateway])
      }
      assert.deepStrictEqual(yield* gatewayOf(acme.routerId), uplink)
    })
  )

  it.effect("a body with content is refused without effect", () =>
    Effect.gen(function* () {
      const { call, trace } = yield* TestGateway
      const { acme } = yield* Cast
      const before = yield* trace
      for (const body of [{ network_id: acme.networkId }, { enable_snat: false }, []]) {
        const answer = yield* call("customer", "POST", "/v1/nat-gateways", { token: acme.tokens[2], body })
        assert.deepStrictEqual(jsonOf(answer), {
          detail: [{ loc: ["body"], msg: "This request takes no body", type: "extra_forbidden" }],
          code: "validation_error"
        })
      }
      assert.deepStrictEqual(yield* trace, before)
    })
  )

  it.effect("another tenant's id, an unknown and a malformed one are the same bytes, on both planes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, globex } = yield* Cast
      const before = yield* gatewayOf(acme.routerId)
      const ids = [`ngw-${acme.routerId}`, `ngw-${acme.projectId}`, "ngw-x", "x", acme.routerId]
      for (const plane of planes) {
        for (const method of ["GET", "DELETE"]) {
          const answers = yield* Effect.forEach(ids, (id) =>
            Effect.map(call(plane, method, `/v1/nat-gateways/${id}`, { token: globex.tokens[2] }), (_) => ({
              status: _.status,
              text: _.text.replaceAll(id, "ID"),
              headers: Object.keys(_.headers).toSorted()
            }))
          )
          for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
          assert.deepStrictEqual([answers[0]?.status, JSON.parse(answers[0]?.text ?? "")], [404, absent("ID")])
        }
        const listed = jsonOf(yield* call(plane, "GET", "/v1/nat-gateways", { token: globex.tokens[0] }))
        assert.deepStrictEqual(
          listed.nat_gateways.map((_: { readonly router_id: string }) => _.router_id),
          [globex.routerId]
        )
        const admin = yield* call(plane, "GET", "/v1/nat-gateways", { token: operator })
        assert.deepStrictEqual([admin.status, jsonOf(admin).code], [409, "tenant_required"])
      }
      assert.deepStrictEqual(yield* gatewayOf(acme.routerId), before)
    })
  )

  it.effect("a suspended tenant cannot create one, and a missing router is a 404", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { globex } = yield* Cast
      const { world } = yield* SimulatedCloud
      const token = globex.tokens[2]
      yield* call("customer", "DELETE", `/v1/nat-gateways/ngw-${globex.routerId}`, { token })
      const suspend = `/v1/tenants/${globex.projectId}/suspend`
      assert.strictEqual((yield* call("operator", "POST", suspend, { token: operator })).status, 200)
      const refused = yield* call("customer", "POST", "/v1/nat-gateways", { token })
      assert.deepStrictEqual(
        [refused.status, jsonOf(refused)],
        [
          403,
          {
            detail: "The tenant is suspended: running resources keep running, and nothing new can be created",
            code: "tenant_suspended"
          }
        ]
      )
      const back = `/v1/tenants/${globex.projectId}/tier`
      assert.strictEqual(
        (yield* call("operator", "POST", back, { token: operator, body: { tier: "discovery" } })).status,
        200
      )
      const again = yield* call("customer", "POST", "/v1/nat-gateways", { token })
      assert.strictEqual(again.status, 201, again.text)
      delete world.neutron.routers[globex.routerId]
      const absent = yield* call("customer", "POST", "/v1/nat-gateways", { token })
      assert.deepStrictEqual(
        [absent.status, jsonOf(absent)],
        [404, { detail: "The tenant has no router that could be a NAT gateway", code: "router_not_found" }]
      )
      assert.deepStrictEqual(jsonOf(yield* call("customer", "GET", "/v1/nat-gateways", { token })), {
        count: 0,
        nat_gateways: []
      })
    })
  )

  it.effect("a failing network service is a 502 with its message, and every write leaves a record", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const cloud = yield* SimulatedCloud
      const fails = { service: "neutron", when: "before", times: "always", as: { status: 500 } } as const
      yield* cloud.fault({ ...fails, method: "PUT", path: "/v2.0/routers/*" })
      const path = `/v1/nat-gateways/ngw-${acme.routerId}`
      const failed = yield* inTime(call("customer", "DELETE", path, { token: acme.tokens[2] }))
      yield* cloud.clearFaults
      assert.deepStrictEqual(
        [failed.status, jsonOf(failed)],
        [502, { detail: "neutron disable SNAT: simulated 500", code: "upstream_failed", transient: true }]
      )
      const { events } = yield* Memory
      const records = [...events.values()]
        .map((_) => _.envelope)
        .filter((_) => _["topic"] === auditTopic && _["project_id"] === acme.projectId)
      const last = records.at(-1)
      assert.include(JSON.stringify(last), "/v1/nat-gateways/:ngw_id")
      assert.include(JSON.stringify(last), '"status":502')
    })
  )
})
