import { assert, it, layer } from "@effect/vitest"
import { agentTopic, auditTopic, relayedTopics, webhookTopic } from "@portico/contract/Events"
import type { Message, Received } from "@portico/upstream/kafka/Broker"
import { maxDecompressed } from "@portico/upstream/kafka/codecs"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import * as Trust from "@portico/upstream/Trust"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { ConfigProvider, Context, Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { readFileSync } from "node:fs"
import { isHere, named, password, realBrokers } from "./kafka/RealBrokers.ts"

class Brokers extends Context.Service<Brokers, Effect.Success<ReturnType<typeof realBrokers>>>()(
  "portico/upstream/test/Brokers"
) {
  static readonly layer = Layer.effect(Brokers, realBrokers())
}

/** The settings of a story's installation, whose topics nobody else has. */
const installation = (prefix: string, more: Readonly<Record<string, string>>) => ({
  KAFKA_TOPIC_PREFIX: `${prefix}.`,
  KAFKA_REPLICATION: "1",
  ...more
})

const login = { KAFKA_USERNAME: "portico", KAFKA_PASSWORD: password }

/** A replica of the gateway, as far as Kafka goes. */
const replica = (settings: Readonly<Record<string, string>>) =>
  Layer.fresh(Kafka.layer).pipe(
    Layer.provide(Trust.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))),
    Layer.orDie
  )

const apiOf = Effect.map(Kafka, ({ api }) => {
  if (api === undefined) throw new Error("there is no Kafka")
  return api
})

const message = (value: string, key = "k"): Message => ({ key, value, headers: { id: `id of ${value.slice(0, 9)}` } })

/** What brokers answer about a topic, or a group, that they have just made. */
const young = new Set([
  "LEADER_NOT_AVAILABLE",
  "NOT_LEADER_FOR_PARTITION",
  "UNKNOWN_TOPIC_OR_PARTITION",
  "GROUP_LOAD_IN_PROGRESS",
  "GROUP_COORDINATOR_NOT_AVAILABLE",
  "NOT_COORDINATOR_FOR_GROUP"
])

/** Calls again after a pause, as the relay and the consumer do. */
const onceReady = <A, E, R>(call: Effect.Effect<A, E | UpstreamError, R>) =>
  Effect.retry(call, {
    while: (error) => error instanceof UpstreamError && young.has(error.code ?? ""),
    schedule: Schedule.spaced("50 millis")
  })

const send = (topic: string, ...values: ReadonlyArray<string>) =>
  Effect.flatMap(apiOf, (api) =>
    onceReady(
      api.send(
        topic,
        values.map((_) => message(_))
      )
    )
  )

const refusal = (sending: Effect.Effect<void, UpstreamError, Kafka>) =>
  Effect.map(Effect.flip(sending), ({ code, detail }) => code ?? detail)

/** Reads the agents' topic until this value has come, and returns everything that came. */
const listen = Effect.fnUntraced(function* (last: string) {
  const heard: Array<Received> = []
  const { receive } = yield* apiOf
  const ending = yield* Effect.flip(
    onceReady(
      receive(agentTopic, {
        joined: Effect.void,
        handle: (messages) => {
          heard.push(...messages)
          return messages.some(({ value }) => value === last) ? Effect.fail("enough" as const) : Effect.void
        }
      })
    )
  )
  assert.strictEqual(ending, "enough")
  return heard
})

const rightsOf = (...operations: ReadonlyArray<string>) => operations.flatMap((_) => ["--operation", _])

/** The first shell block of a section of the operators' document of the bus. */
const documented = (title: string): string => {
  const text = readFileSync(new URL("../../../docs/operators/bus.md", import.meta.url), "utf8")
  return new RegExp(`\\*\\*${title}[^]*?\`\`\`sh[^\\n]*\\n([^]*?)\`\`\``).exec(text)?.[1] ?? `false # no ${title}`
}

if (isHere) {
  layer(Brokers.layer, { excludeTestServices: true })("a real Apache Kafka", (it) => {
    it.effect("has the documented topics, and an existing one is left unchanged", () =>
      Effect.gen(function* () {
        const { admin, tool } = yield* Brokers
        const settings = installation("made", { KAFKA_BROKERS: admin, KAFKA_PARTITIONS: "4" })
        yield* Effect.gen(function* () {
          yield* send(auditTopic, "1")
          const { receive } = yield* apiOf
          const joined = yield* Deferred.make<void>()
          const reading = receive(agentTopic, {
            joined: Effect.asVoid(Deferred.succeed(joined, undefined)),
            handle: () => Effect.void
          })
          yield* Effect.raceFirst(onceReady(reading), Deferred.await(joined))
        }).pipe(Effect.provide(replica(settings)))
        yield* Effect.provide(send(auditTopic, "2"), replica({ ...settings, KAFKA_PARTITIONS: "9" }))

        const said = yield* tool("TopicCommand", "--bootstrap-server", admin, "--describe")
        const described = (topic: string) => {
          const [, partitions, configs = ""] =
            new RegExp(`Topic: made\\.${topic}\\b.*PartitionCount: (\\d+).*Configs: (\\S+)`).exec(said) ?? []
          return [Number(partitions), configs.split(",").toSorted()]
        }
        const expected = (compression: string) => [
          4,
          [
            "cleanup.policy=delete",
            `compression.type=${compression}`,
            "min.insync.replicas=1",
            "retention.ms=2592000000"
          ]
        ]
        assert.deepStrictEqual(described(auditTopic), expected("producer"))
        assert.deepStrictEqual(described(agentTopic), expected("gzip"))
      })
    )

    it.effect("is reached with TLS, whose authority must be trusted", () =>
      Effect.gen(function* () {
        const { admin, ca, read, tls } = yield* Brokers
        const settings = installation("tls", { KAFKA_BROKERS: tls, KAFKA_TLS: "true" })
        yield* Effect.provide(send(auditTopic, "1"), replica({ ...settings, UPSTREAM_CA_FILE: ca }))
        assert.lengthOf(yield* read(`tls.${auditTopic}`), 1)
        assert.include(
          yield* Effect.provide(refusal(send(auditTopic, "2")), replica(settings)),
          "self-signed certificate in certificate chain"
        )
        const plain = replica({ ...settings, KAFKA_TLS: "false" })
        assert.strictEqual(yield* Effect.provide(refusal(send(auditTopic, "2")), plain), "Closed connection")
        const other = replica({ ...settings, KAFKA_BROKERS: admin, UPSTREAM_CA_FILE: ca })
        assert.isString(yield* Effect.provide(refusal(send(auditTopic, "2")), other))
        assert.lengthOf(yield* read(`tls.${auditTopic}`), 1)
      })
    )

    for (const mechanism of ["scram-sha-256", "scram-sha-512", "plain"]) {
      it.effect(`is logged in to with ${mechanism}, over TLS and without; a wrong password is refused`, () =>
        Effect.gen(function* () {
          const { both, ca, login: address } = yield* Brokers
          const settings = { ...login, KAFKA_SASL_MECHANISM: mechanism }
          const ways = [
            { ...settings, KAFKA_BROKERS: address },
            { ...settings, KAFKA_BROKERS: both, KAFKA_TLS: "true", UPSTREAM_CA_FILE: ca }
          ]
          for (const way of ways) {
            // The user may do nothing: who has come so far has logged in.
            const stranger = replica(installation("nobody", way))
            assert.strictEqual(
              yield* Effect.provide(refusal(send(auditTopic, "1")), stranger),
              "TOPIC_AUTHORIZATION_FAILED"
            )
            const wrong = replica(installation("nobody", { ...way, KAFKA_PASSWORD: "wrong" }))
            assert.strictEqual(
              yield* Effect.provide(refusal(send(auditTopic, "1")), wrong),
              "SASL_AUTHENTICATION_FAILED"
            )
          }
        })
      )
    }

    it.effect("gives the gateway the documented rights; a refused topic does not delay others", () =>
      Effect.gen(function* () {
        const { admin, login: address, read, shell, tool, write } = yield* Brokers
        const settings = installation("acl", { ...login, KAFKA_BROKERS: address })
        const acl = (...args: ReadonlyArray<string>) =>
          tool("AclCommand", "--bootstrap-server", admin, "--allow-principal", "User:portico", "--force", ...args)
        const fresh = replica(settings)
        const others = relayedTopics.filter((_) => _ !== auditTopic && _ !== webhookTopic)
        yield* Effect.gen(function* () {
          yield* shell(documented("Rights"), { BOOTSTRAP: admin, PREFIX: "acl." })
          for (const topic of [auditTopic, ...others]) yield* send(topic, "1")
          assert.lengthOf(yield* read(`acl.${auditTopic}`), 1)
          yield* write(`acl.${agentTopic}`, "agent", ["2"])
          yield* listen("2")

          yield* acl("--remove", ...rightsOf("Write", "Create", "DescribeConfigs"), "--topic", `acl.${auditTopic}`)
          assert.strictEqual(yield* refusal(send(auditTopic, "2")), "TOPIC_AUTHORIZATION_FAILED")
          // The first message of a topic has the client ask for its leaders.
          for (const topic of [webhookTopic, ...others]) yield* send(topic, "3")
        }).pipe(Effect.provide(fresh))

        // Where the topics are there the gateway need not create them, nor read how they are configured.
        const topics = others.flatMap((_) => ["--topic", `acl.${_}`])
        yield* acl("--remove", ...rightsOf("Create", "DescribeConfigs"), ...topics)
        yield* Effect.gen(function* () {
          assert.strictEqual(yield* refusal(send(auditTopic, "2")), "TOPIC_AUTHORIZATION_FAILED")
          for (const topic of others) yield* send(topic, "4")

          yield* acl("--remove", ...rightsOf("Read"), "--group", "acl.portico")
          const reading = (yield* apiOf).receive(agentTopic, {
            joined: Effect.die("it cannot have joined"),
            handle: () => Effect.void
          })
          assert.include((yield* Effect.flip(reading)).detail, "the user may not read the group")
        }).pipe(Effect.provide(fresh))
      })
    )

    it.effect("reports a message above its size limit, and takes the next one", () =>
      Effect.gen(function* () {
        const { admin, read } = yield* Brokers
        yield* Effect.gen(function* () {
          assert.strictEqual(yield* refusal(send(auditTopic, "x".repeat(1_100_000))), "MESSAGE_TOO_LARGE")
          yield* send(auditTopic, "1")
        }).pipe(Effect.provide(replica(installation("size", { KAFKA_BROKERS: admin }))))
        assert.deepStrictEqual(
          (yield* read(`size.${auditTopic}`)).map((_) => _.value),
          ["1"]
        )
      })
    )

    for (const codec of ["none", "gzip", "snappy", "lz4", "zstd"]) {
      it.effect(`is read with ${codec} from any client, and a message that expands too far is skipped`, () =>
        Effect.gen(function* () {
          const { admin, make, write } = yield* Brokers
          const values = Array.from({ length: 300 }, (_, n) => `${n} ${"abc".repeat(n)} ${Math.sin(n)}`)
          for (const by of ["client", "brokers"]) {
            const prefix = `${codec}-by-${by}`
            const topic = `${prefix}.${agentTopic}`
            const type = by === "client" ? "producer" : codec === "none" ? "uncompressed" : codec
            yield* make(topic, { config: { "compression.type": type, "retention.ms": "2592000000" } })
            const sender = ["-z", by === "client" ? codec : "none"]
            yield* write(topic, "agent", values, ...sender)
            // As one batch, which is small only as long as it is compressed.
            const together = [
              "-X",
              "linger.ms=60000",
              "-X",
              "batch.num.messages=20",
              "-X",
              "batch.size=100000000",
              "-X",
              "message.max.bytes=100000000"
            ]
            const bomb = Array.from({ length: 20 }, () => "0".repeat(Math.ceil(maxDecompressed / 19)))
            if (by === "client" && codec !== "none") yield* write(topic, "bomb", bomb, ...sender, ...together)
            yield* write(topic, "agent", ["last"], ...sender)

            const heard = yield* Effect.provide(listen("last"), replica(installation(prefix, { KAFKA_BROKERS: admin })))
            const read = heard.filter(({ key }) => key === "agent").map((_) => _.value)
            assert.deepStrictEqual(read, [...values, "last"], by)
            const others = heard.filter(({ key }) => key !== "agent")
            const passed = Array.from({ length: 20 }, () => ({ key: null, value: null }))
            assert.deepStrictEqual(others, by === "client" && codec !== "none" ? passed : [], by)
          }
        })
      )
    }

    it.effect("is read by two replicas, and by the remaining one when the other stops", () =>
      Effect.gen(function* () {
        const { admin, write } = yield* Brokers
        const settings = installation("group", { KAFKA_BROKERS: admin })
        const topic = `group.${agentTopic}`
        const heard: [Array<string>, Array<string>] = [[], []]
        const listener = Effect.fnUntraced(function* (into: Array<string>) {
          const joined = yield* Deferred.make<void>()
          const { receive } = yield* apiOf
          const fiber = yield* Effect.forkChild(
            onceReady(
              receive(agentTopic, {
                joined: Effect.asVoid(Deferred.succeed(joined, undefined)),
                handle: (messages) => Effect.sync(() => into.push(...messages.map((_) => _.value ?? "")))
              })
            )
          )
          yield* Deferred.await(joined)
          return fiber
        })
        const spread = Effect.fnUntraced(function* (from: number) {
          const numbers = Array.from({ length: 60 }, (_, n) => from + n)
          for (const n of numbers.filter((_) => _ % 10 === 0)) {
            yield* write(topic, `k${n}`, numbers.slice(n - from, n - from + 10).map(String))
          }
          yield* Effect.suspend(() =>
            numbers.every((n) => heard.some((_) => _.includes(`${n}`))) ? Effect.void : Effect.fail("not yet")
          ).pipe(Effect.eventually)
        })
        yield* Effect.gen(function* () {
          const first = yield* Effect.provide(listener(heard[0]), yield* Layer.build(replica(settings)))
          const second = yield* Effect.provide(listener(heard[1]), yield* Layer.build(replica(settings)))
          yield* spread(0)
          assert.isNotEmpty(heard[0], "the first has none")
          assert.isNotEmpty(heard[1], "the second has none")
          yield* Fiber.interrupt(second)
          yield* spread(100)
          yield* Fiber.interrupt(first)
        })
        assert.lengthOf(new Set(heard.flat()), 120)
      })
    )
  })
} else it.skip(named("a real Apache Kafka"), () => {})
