import { assert, describe, it } from "@effect/vitest"
import type { Message, Received } from "@portico/upstream/kafka/Broker"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { ConfigProvider, Effect, Fiber, Layer, Logger, References } from "effect"
import { isHere, mockBrokers, named } from "./kafka/MockBrokers.ts"

const topic = "api.audit"

const kafkaAt = (brokers: string, more: Readonly<Record<string, string>> = {}) =>
  Kafka.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ KAFKA_BROKERS: brokers, ...more }))))

const apiOf = Effect.map(Kafka, ({ api }) => {
  if (api === undefined) throw new Error("there is no Kafka")
  return api
})

const message = (key: string, value: string): Message => ({ key, value, headers: { id: `id of ${value}` } })

const numbers = (count: number) => Array.from({ length: count }, (_, n) => message(`k${n % 10}`, `${n}`))

describe.runIf(isHere)("Kafka over the wire", () => {
  it.live("a message arrives with its key and its headers, those of one key in order", () =>
    Effect.gen(function* () {
      const cluster = yield* mockBrokers
      yield* cluster.make(topic)
      yield* Effect.gen(function* () {
        const { send } = yield* apiOf
        for (let batch = 0; batch < 5; batch++) yield* send(topic, numbers(500).slice(batch * 100, batch * 100 + 100))
      }).pipe(Effect.provide(kafkaAt(cluster.brokers)))
      const kept = yield* cluster.read(topic)
      assert.lengthOf(kept, 500)
      assert.isAbove(new Set(kept.map((_) => _.partition)).size, 1)
      for (let key = 0; key < 10; key++) {
        const own = kept.filter((_) => _.key === `k${key}`)
        assert.lengthOf(new Set(own.map((_) => _.partition)), 1)
        assert.deepStrictEqual(
          own.map((_) => Number(_.value)),
          Array.from({ length: 50 }, (_, n) => n * 10 + key)
        )
      }
      assert.strictEqual(kept[0]?.headers, `id=id of ${kept[0]?.value}`)
    }).pipe(Effect.scoped)
  )

  it.live("topics have the prefix of the installation", () =>
    Effect.gen(function* () {
      const cluster = yield* mockBrokers
      yield* cluster.make(`lab.${topic}`)
      const sending = Effect.flatMap(apiOf, ({ send }) => send(topic, [message("k", "v")]))
      yield* Effect.provide(sending, kafkaAt(cluster.brokers, { KAFKA_TOPIC_PREFIX: "lab." }))
      assert.lengthOf(yield* cluster.read(`lab.${topic}`), 1)
    }).pipe(Effect.scoped)
  )

  it.live("a handled message is not received again; a failed one is", () =>
    Effect.gen(function* () {
      const cluster = yield* mockBrokers
      yield* cluster.make("agent.actions")
      yield* cluster.write("agent.actions", "agent", "1", "2", "3")

      /** Listens until it is no longer told to. */
      const listening = Effect.fnUntraced(
        function* (handle: (values: ReadonlyArray<string | null>) => boolean) {
          const heard: Array<Received> = []
          const { receive } = yield* apiOf
          const ending = yield* receive("agent.actions", {
            joined: Effect.void,
            handle: (messages) => {
              heard.push(...messages)
              return handle(messages.map((_) => _.value)) ? Effect.void : Effect.fail("enough" as const)
            }
          }).pipe(Effect.flip)
          assert.strictEqual(ending, "enough")
          return heard.map(({ key, value }) => `${key}: ${value}`)
        },
        Effect.provide(Layer.fresh(kafkaAt(cluster.brokers)))
      )

      const first = yield* Effect.forkChild(listening((values) => !values.includes("4")))
      yield* Effect.sleep("5 seconds")
      yield* cluster.write("agent.actions", "agent", "4")
      assert.deepStrictEqual(yield* Fiber.join(first), ["agent: 1", "agent: 2", "agent: 3", "agent: 4"])
      assert.deepStrictEqual(yield* listening(() => false), ["agent: 4"])
    }).pipe(Effect.scoped)
  )

  it.live("an idle connection does not poll", () =>
    Effect.gen(function* () {
      const cluster = yield* mockBrokers
      yield* cluster.make(topic)
      yield* Effect.gen(function* () {
        const { send } = yield* apiOf
        yield* send(topic, [message("k", "v")])
        const before = process.getActiveResourcesInfo().length
        const { setTimeout } = globalThis
        let armed = 0
        globalThis.setTimeout = Object.assign(
          (...args: Parameters<typeof setTimeout>) => (armed++, setTimeout(...args)),
          setTimeout
        )
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 500)))
        globalThis.setTimeout = setTimeout
        assert.isAbove(before, 0)
        assert.isBelow(armed, 20)
      }).pipe(Effect.provide(kafkaAt(cluster.brokers)))
    }).pipe(Effect.scoped)
  )

  it.live("stopped brokers are a failure without a status, and no secret is logged", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Layer.merge(
        Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]),
        Layer.succeed(References.MinimumLogLevel, "Debug")
      )
      const cluster = yield* mockBrokers
      yield* cluster.make(topic)
      yield* Effect.gen(function* () {
        const { send } = yield* apiOf
        yield* send(topic, [message("k", "v")])
        yield* cluster.kill
        const failure = yield* Effect.flip(send(topic, [message("k", "v")]))
        assert.strictEqual(failure.status, null)
      }).pipe(Effect.provide(kafkaAt(cluster.brokers)), Effect.provide(logger))
      const secret = { KAFKA_USERNAME: "portico", KAFKA_PASSWORD: "a-secret" }
      const failing = Effect.flatMap(apiOf, ({ send }) => Effect.flip(send(topic, [message("k", "v")])))
      const failure = yield* failing.pipe(Effect.provide(kafkaAt(cluster.brokers, secret)), Effect.provide(logger))
      assert.strictEqual(failure.status, null)
      assert.isNotEmpty(lines)
      assert.notInclude(lines.join("\n"), "a-secret")
      assert.notInclude(lines.join("\n"), "stack")
    }).pipe(Effect.scoped)
  )
})

if (!isHere) it.skip(named("Kafka over the wire"), () => {})

describe("the settings of Kafka", () => {
  const built = (settings: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      return (yield* Kafka).api !== undefined
    }).pipe(
      Effect.provide(
        Kafka.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))), Layer.fresh)
      )
    )

  it.effect("Kafka is off without brokers, and no broker is contacted at the start", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* built({}))
      assert.isTrue(yield* built({ KAFKA_BROKERS: "kafka-0.internal:9092, kafka-1.internal:9092" }))
    })
  )

  const wrong: ReadonlyArray<Readonly<Record<string, string>>> = [
    { KAFKA_BROKERS: "kafka.internal" },
    { KAFKA_BROKERS: "kafka:9092," },
    { KAFKA_BROKERS: "http://kafka:9092" },
    { KAFKA_BROKERS: "kafka:9092", KAFKA_USERNAME: "portico" },
    { KAFKA_BROKERS: "kafka:9092", KAFKA_USERNAME: "u", KAFKA_PASSWORD: "p", KAFKA_SASL_MECHANISM: "gssapi" },
    { KAFKA_BROKERS: "kafka:9092", KAFKA_TOPIC_PREFIX: "a topic/" },
    { KAFKA_BROKERS: "kafka:9092", KAFKA_PARTITIONS: "0" },
    { KAFKA_BROKERS: "kafka:9092", KAFKA_REPLICATION: "-1" },
    { KAFKA_BROKERS: "kafka:9092", KAFKA_TLS: "perhaps" }
  ]
  for (const settings of wrong) {
    it.effect(`${JSON.stringify(settings)} stops the process at start`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(built(settings)))._tag, "ConfigError")
      })
    )
  }
})
