import { assert, it } from "@effect/vitest"
import { relayedTopics } from "@portico/contract/Events"
import { bus } from "@portico/gateway/doctor/optional"
import { ConfigProvider, Effect } from "effect"
import { isHere, named, password, realBrokers } from "../../../upstream/test/kafka/RealBrokers.ts"

/** What the doctor says of Kafka with these settings. */
const found = (settings: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.scoped(bus.run).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))),
    ([finding]) => finding
  )

const unsaid = "they do not say whether it may write to each, and read agent.actions"

it.live.skipIf(!isHere)(named("the doctor lists the gateway's rights at a real Kafka, and creates nothing"), () =>
  Effect.gen(function* () {
    const { admin, login, make, tool } = yield* realBrokers()
    const alone = { KAFKA_REPLICATION: "1" }
    const user = { ...alone, KAFKA_BROKERS: login, KAFKA_USERNAME: "portico", KAFKA_PASSWORD: password }
    const allow = (...args: ReadonlyArray<string>) =>
      tool("AclCommand", "--bootstrap-server", admin, "--allow-principal", "User:portico", "--add", ...args)
    const advice = /^Grant the user of KAFKA_USERNAME/

    assert.deepInclude(yield* found({ ...alone, KAFKA_BROKERS: admin }), {
      state: "ok",
      detail: `Kafka: 1 broker, 0 of 8 topics; the brokers let the gateway make the others; ${unsaid}`
    })
    assert.deepInclude(yield* found({ KAFKA_REPLICATION: "3", KAFKA_BROKERS: admin }), {
      state: "warning",
      detail: "Kafka: 1 broker, 0 of 8 topics: new topics are to have 3 copies",
      fix: "Add brokers, or lower KAFKA_REPLICATION"
    })
    assert.strictEqual((yield* tool("TopicCommand", "--bootstrap-server", admin, "--list")).trim(), "")

    const stranger = yield* found(user)
    assert.strictEqual(stranger?.state, "failed")
    assert.match(stranger?.detail ?? "", /try to create topics/)
    assert.match(stranger?.fix ?? "", advice)

    for (const topic of relayedTopics) yield* make(topic)
    yield* allow("--operation", "Describe", "--topic", "*")
    const reader = yield* found(user)
    assert.strictEqual(reader?.state, "failed")
    assert.match(reader?.detail ?? "", /try to write/)
    assert.match(reader?.fix ?? "", advice)

    yield* allow("--operation", "Write", "--topic", "*")
    assert.deepInclude(yield* found(user), { state: "ok", detail: `Kafka: 1 broker, 8 of 8 topics; ${unsaid}` })
  }).pipe(Effect.scoped)
)
