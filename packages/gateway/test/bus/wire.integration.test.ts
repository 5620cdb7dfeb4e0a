import { assert, it, layer } from "@effect/vitest"
import { agentTopic, relayedTopics } from "@portico/contract/Events"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Memory } from "@portico/testing/store/Memory"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { isHere, mockBrokers, named } from "../../../upstream/test/kafka/MockBrokers.ts"
import { Cast } from "../harness/Cast.ts"
import { metrics, valueOf } from "../observability/exposition.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { until } from "@portico/testing/clock"

class Brokers extends Context.Service<Brokers, Effect.Success<typeof mockBrokers>>()("portico/gateway/test/Brokers") {
  static readonly layer = Layer.effect(
    Brokers,
    Effect.tap(mockBrokers, ({ make }) => make(...relayedTopics))
  )
}

const settings = Effect.gen(function* () {
  const { url } = yield* Server
  const { brokers } = yield* Brokers
  return { ...gatewaySettings(url), KAFKA_BROKERS: brokers, USAGE_SECONDS: "1" }
})

const Gateway = Cast.made.pipe(
  Layer.provideMerge(TestGateway.layerOf(settings)),
  Layer.provideMerge(TestGateway.cloud),
  Layer.provideMerge(Brokers.layer)
)

const asked = Effect.sleep("200 millis")

if (isHere) {
  layer(Gateway, { excludeTestServices: true })("a gateway with a Kafka", (it) => {
    it.effect("publishes every call there, and records agents' reports from it", () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { acme } = yield* Cast
        const cluster = yield* Brokers
        const answer = yield* call("customer", "DELETE", "/v1/credentials/nobody", { token: acme.tokens[2] })
        assert.strictEqual(answer.status, 404)

        const id = answer.headers["x-request-id"]
        yield* until(
          Effect.map(Effect.andThen(asked, cluster.read("api.audit")), (_) =>
            _.some(({ key, value }) => key === acme.credentialIds[2] && value.includes(`"${id}"`))
          )
        )

        const { credentials } = yield* Memory
        const key = credentials.get(acme.credentialIds[1])?.user_id ?? ""
        const event = {
          id: randomUUID(),
          topic: agentTopic,
          kind: "tool.called",
          at: "2026-01-05T10:00:00.000Z",
          key,
          project_id: "globex",
          data: {}
        }
        const now = new Date(Date.parse(answer.headers["date"] ?? "")).toISOString()
        yield* cluster.write(agentTopic, key, "no event", JSON.stringify({ ...event, at: now }))
        const { events } = yield* Memory
        yield* until(Effect.map(asked, () => events.has(event.id)))
        assert.strictEqual(events.get(event.id)?.envelope["project_id"], acme.projectId)

        const samples = yield* metrics
        assert.isAbove(valueOf(samples, "portico_bus_sent_total", { topic: "api.audit" }), 0)
        assert.strictEqual(valueOf(samples, "portico_bus_received_total", { outcome: "kept" }), 1)
        assert.strictEqual(valueOf(samples, "portico_bus_received_total", { outcome: "refused" }), 1)
        assert.strictEqual(jsonOf(yield* call("operator", "GET", "/health/ready")).components.bus.state, "ok")
      })
    )
  })
} else it.skip(named("a gateway with a Kafka"), () => {})
