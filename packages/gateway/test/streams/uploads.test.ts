import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, Layer } from "effect"
import { Cast, type Tenant } from "../harness/Cast.ts"
import { eventually } from "../kubernetes/ClusterTap.ts"
import { Endless } from "./openStreams.ts"
import { rawClient } from "../harness/RawClient.ts"
import { TestGateway } from "../harness/TestGateway.ts"

const ofOne = 3
const connections = 8

const Stage = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.gen(function* () {
        return {
          ...gatewaySettings((yield* Server).url),
          IAAS_DNS_URL: `${(yield* Endless).url}/v2`,
          CUSTOMER_CONNECTIONS: String(connections),
          UPLOADS_PER_TENANT: String(ofOne),
          UPLOADS_TOTAL: "100"
        }
      })
    )
  ),
  Layer.provideMerge(Endless.layer),
  Layer.provideMerge(TestGateway.cloud)
)

/** Begins a body of two bytes, and sends the first. */
const begun = Effect.fnUntraced(function* (tenant: Tenant) {
  const { url } = yield* TestGateway
  const client = yield* Effect.acquireRelease(rawClient(url.customer), ({ socket }) =>
    Effect.sync(() => void socket.destroy())
  )
  yield* client.send(
    `PUT /v1/iaas/dns/endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.tokens[1]}\r\n` +
      "Content-Type: application/octet-stream\r\nContent-Length: 2\r\n\r\nx"
  )
  return client
})

const underWay = (count: number) =>
  eventually(
    Effect.gen(function* () {
      const { text } = yield* (yield* TestGateway).call("operator", "GET", "/metrics")
      assert.strictEqual(/^portico_uploads(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1], String(count))
    })
  )

const reads = Effect.fnUntraced(function* ({ tokens }: Tenant) {
  const answer = yield* (yield* TestGateway).call("customer", "GET", "/v1/whoami", { token: tokens[0] })
  assert.strictEqual(answer.status, 200, answer.text)
})

layer(Stage, { excludeTestServices: true })("slow bodies of one tenant", (it) => {
  it.effect("leave others their connections, and release their places", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const first = yield* Effect.forEach(Array.from({ length: ofOne }), () => begun(acme))
      yield* underWay(ofOne)
      const surplus = yield* Effect.forEach(Array.from({ length: connections }), () => begun(acme))
      for (const client of surplus.slice(-2)) {
        yield* client.has("uploads_exhausted")
        assert.match(client.text(), /^HTTP\/1\.1 429 /)
        assert.include(
          client.text(),
          `The tenant has ${ofOne} uploads running with this replica already; wait until one has ended`
        )
      }
      yield* reads(globex)
      yield* begun(globex)
      yield* underWay(ofOne + 1)

      // One goes away, one comes to its end: its answer is not waited for.
      first[0]?.hangUp(1)
      yield* first[1]?.send("x") ?? Effect.void
      yield* underWay(2)
      yield* begun(acme)
      yield* underWay(3)
    }).pipe(Effect.scoped)
  )

  it.effect("release the places of bodies that are complete at once", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      yield* underWay(0)
      const { call } = yield* TestGateway
      const ask = call("customer", "POST", "/v1/iaas/network/security-groups", {
        token: acme.tokens[1],
        body: { security_group: { name: "web" } }
      })
      const made = yield* Effect.forEach(Array.from({ length: 2 * ofOne }), () => ask)
      assert.deepStrictEqual([...new Set(made.map((_) => _.status))], [201])
      yield* underWay(0)
    })
  )
})
