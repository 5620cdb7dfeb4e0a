import { assert, layer } from "@effect/vitest"
import { publish } from "@portico/simulator/dns/state"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, repeatInTime } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { Cast, operator, tenant, type Tenant } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

/** A gateway that looks at its exposures every second. */
const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), EDGE_SECONDS: "1" })))
  ),
  Layer.provideMerge(TestGateway.cloud)
)

const exposures = "/v1/edge/exposures"

const ask = Effect.fnUntraced(function* (token: string, method: string, path: string, body?: unknown) {
  return yield* (yield* TestGateway).call("customer", method, path, { token, body })
})

/** A floating IP of the tenant, made as tenants make them. */
const floatingIp = Effect.fnUntraced(function* ({ tokens }: Tenant) {
  const body = { floatingip: { floating_network_id: fixtures.externalNetworkId } }
  const { floatingip } = jsonOf(yield* ask(tokens[1], "POST", "/v1/iaas/network/floatingips", body))
  return { id: String(floatingip.id), address: String(floatingip.floating_ip_address) }
})

const until = <E, R>(seen: Effect.Effect<boolean, E, R>) => repeatInTime(seen, (_) => _)

layer(Everything)("exposures", (it) => {
  it.effect("an exposed address, with its verified domain, is removed when the address is released", () =>
    Effect.gen(function* () {
      const { globex } = yield* Cast
      const acme = yield* tenant("Shop", "standard")
      const { world } = yield* SimulatedCloud
      const [, write, destroy] = acme.tokens
      const ip = yield* floatingIp(acme)
      const body = { name: "shop", target: { address: ip.address, port: 80 }, domain: "shop.example" }
      const created = yield* ask(write, "POST", exposures, body)
      assert.strictEqual(created.status, 201, created.text)
      const made = jsonOf(created)
      const path = `${exposures}/${made.exposure_id}`

      const elsewhere = { ...body, target: { service: "web", port: 80 } }
      const refused = yield* ask(globex.tokens[1], "POST", exposures, elsewhere)
      assert.deepStrictEqual(
        [refused.status, jsonOf(refused)],
        [409, { detail: "The domain is claimed already and cannot be claimed now", code: "domain_claimed" }]
      )

      const early = jsonOf(yield* ask(write, "POST", `${path}/verify`))
      assert.deepInclude(early.check, { records: 0, proved: false })
      publish(world.dns, made.domain.challenge.name, "TXT", [`"${made.domain.challenge.value}"`])
      const proved = yield* ask(write, "POST", `${path}/verify`)
      assert.strictEqual(proved.status, 200, proved.text)
      assert.deepInclude(jsonOf(proved).check, { records: 1, proved: true })
      const state = Effect.map(ask(acme.tokens[0], "GET", path), (_) => jsonOf(_))
      yield* until(Effect.map(state, (_) => _.state === "active" && _.url === "https://shop.example"))

      const routes = () => Object.keys(world.kubernetes.objects["httproutes.gateway.networking.k8s.io"] ?? {})
      assert.lengthOf(routes(), 1)
      const released = yield* ask(destroy, "DELETE", `/v1/iaas/network/floatingips/${ip.id}`)
      assert.strictEqual(released.status, 204)
      yield* until(Effect.sync(() => routes().length === 0))
      yield* until(Effect.map(state, (_) => _.state === "pending" && /floating IPs any more/.test(_.reason)))

      const removed = yield* ask(destroy, "DELETE", path)
      assert.deepStrictEqual([removed.status, jsonOf(removed).reason], [200, "It is being removed."])
      assert.strictEqual((yield* ask(write, "GET", path)).status, 404)
    })
  )

  it.effect("failing name servers are a 502", () =>
    Effect.gen(function* () {
      const acme = yield* tenant("Mute", "standard")
      const cloud = yield* SimulatedCloud
      const body = { name: "mute", target: { service: "web", port: 80 }, domain: "mute.example" }
      const made = jsonOf(yield* ask(acme.tokens[1], "POST", exposures, body))
      yield* cloud.fault({
        service: "resolver",
        method: "GET",
        path: "**",
        times: "always",
        when: "before",
        as: { status: 500 }
      })
      const answer = yield* inTime(ask(acme.tokens[1], "POST", `${exposures}/${made.exposure_id}/verify`))
      yield* cloud.clearFaults
      assert.strictEqual(answer.status, 502, answer.text)
      assert.strictEqual(jsonOf(answer).code, "upstream_failed")
      yield* ask(acme.tokens[2], "DELETE", `${exposures}/${made.exposure_id}`)
    })
  )

  it.effect("a tenant cannot reach the edge's objects, or create similar ones", () =>
    Effect.gen(function* () {
      const acme = yield* tenant("Safe", "standard")
      const { call } = yield* TestGateway
      const ip = yield* floatingIp(acme)
      const body = { name: "safe", target: { address: ip.address, port: 80 } }
      const made = jsonOf(yield* ask(acme.tokens[1], "POST", exposures, body))
      const cluster = "/v1/kubernetes"
      const edge = `namespaces/${fixtures.edge.namespace}`
      for (const path of [
        `/apis/gateway.networking.k8s.io/v1/${edge}/httproutes/${made.exposure_id}`,
        `/apis/discovery.k8s.io/v1/${edge}/endpointslices/${made.exposure_id}`,
        `/api/v1/${edge}/services/${made.exposure_id}`
      ]) {
        for (const method of ["GET", "DELETE"]) {
          assert.strictEqual((yield* ask(acme.tokens[2], method, `${cluster}${path}`)).status, 404, `${method} ${path}`)
        }
      }
      const own = `namespaces/db-${acme.projectId}`
      // The first write makes the namespace, so that it is not its absence that refuses.
      yield* ask(acme.tokens[1], "POST", `${cluster}/api/v1/${own}/configmaps`, { metadata: { name: "there" } })
      const parentRefs = [{ namespace: fixtures.edge.namespace, name: fixtures.edge.gateway }]
      const takeovers = {
        "gateway.networking.k8s.io/v1/httproutes": { spec: { parentRefs, hostnames: [made.hostname] } },
        "gateway.networking.k8s.io/v1beta1/referencegrants": { spec: { from: [], to: [] } },
        "discovery.k8s.io/v1/endpointslices": {
          addressType: "IPv4",
          endpoints: [{ addresses: ["10.0.0.1"] }],
          ports: []
        }
      }
      for (const [kind, content] of Object.entries(takeovers)) {
        const [group, version, plural] = kind.split("/")
        const path = `${cluster}/apis/${group}/${version}/${own}/${plural}`
        const answer = yield* ask(acme.tokens[2], "POST", path, { metadata: { name: "mine" }, ...content })
        assert.strictEqual(answer.status, 403, `${kind}: ${answer.text}`)
      }
      // And if somebody lets tenants write routes: the Gateway takes those of its own namespace alone.
      const route = {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        metadata: { name: "mine" },
        ...takeovers["gateway.networking.k8s.io/v1/httproutes"]
      }
      const path = `${cluster}/apis/gateway.networking.k8s.io/v1/${own}/httproutes`
      const written = yield* call("operator", "POST", path, { token: operator, body: route })
      assert.strictEqual(written.status, 201, written.text)
      yield* until(
        Effect.map(call("operator", "GET", `${path}/mine`, { token: operator }), (_) => {
          const conditions: ReadonlyArray<{ readonly type: string; readonly reason: string }> =
            jsonOf(_).status?.parents?.[0]?.conditions ?? []
          return conditions.some(({ reason, type }) => type === "Accepted" && reason === "NotAllowedByListeners")
        })
      )
    })
  )

  it.effect("a platform administrator has no exposures", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const answer = yield* call("operator", "GET", exposures, { token: operator })
      assert.deepStrictEqual([answer.status, jsonOf(answer).code], [409, "tenant_required"])
    })
  )
})
