import { Duration, Effect } from "effect"
import kafkajs, { type Admin, type ITopicConfig, type Kafka } from "kafkajs"
import type { UpstreamError } from "../UpstreamError.ts"
import { errorOf, isTaken } from "./errors.ts"
import type { Settings } from "./settings.ts"

/** The retention of topics (contract, Limits), in milliseconds. */
const retention = `${Duration.toMillis(Duration.days(30))}`

const { ConfigResourceTypes } = kafkajs

export interface TopicKind {
  /** `producer` keeps the compression of the sender. */
  readonly compression: "producer" | "gzip"
}

export const sent: TopicKind = { compression: "producer" }
/** The brokers recompress to gzip whatever the sender used: a gateway before 0.39 reads nothing else. */
export const received: TopicKind = { compression: "gzip" }

interface Wanted extends TopicKind {
  /** With its prefix. */
  readonly name: string
}

/** Creates the topic when it is missing. An existing topic stays unchanged; a different retention is logged. */
export const ensureTopic = (kafka: Kafka, settings: Settings, wanted: Wanted): Effect.Effect<void, UpstreamError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const admin = yield* Effect.acquireRelease(
        Effect.sync(() => kafka.admin()),
        (admin) => Effect.ignore(Effect.tryPromise(() => admin.disconnect()))
      )
      yield* Effect.tryPromise({ try: () => admin.connect(), catch: errorOf("connect") })
      const existing = yield* Effect.tryPromise({ try: () => admin.listTopics(), catch: errorOf("list topics") })
      yield* existing.includes(wanted.name) ? checkRetention(admin, wanted.name) : createTopic(admin, settings, wanted)
    })
  )

/** A topic as the gateway creates it. */
const configured = ({ partitions, replication }: Settings, { compression, name }: Wanted): ITopicConfig => ({
  topic: name,
  numPartitions: partitions,
  replicationFactor: replication,
  configEntries: [
    { name: "cleanup.policy", value: "delete" },
    { name: "retention.ms", value: retention },
    // With three replicas one broker may be down. With fewer replicas the operator has accepted no redundancy.
    { name: "min.insync.replicas", value: replication >= 3 ? "2" : "1" },
    { name: "compression.type", value: compression }
  ]
})

/** Asks the brokers whether they would create the topics. They create none. */
export const tryTopics = (
  admin: Admin,
  settings: Settings,
  wanted: ReadonlyArray<Wanted>
): Effect.Effect<void, UpstreamError> =>
  Effect.tryPromise({
    try: () =>
      admin.createTopics({
        timeout: 5_000,
        validateOnly: true,
        // Leaders would be waited for that never come.
        waitForLeaders: false,
        topics: wanted.map((_) => configured(settings, _))
      }),
    catch: errorOf("try to create topics")
  })

const createTopic = (admin: Admin, settings: Settings, wanted: Wanted) =>
  Effect.tryPromise({
    try: () => admin.createTopics({ timeout: 10_000, topics: [configured(settings, wanted)] }),
    catch: errorOf("create topics")
  }).pipe(
    Effect.catchIf(isTaken, () => Effect.void),
    Effect.andThen(Effect.logInfo("the Kafka topic is ready").pipe(Effect.annotateLogs({ topic: wanted.name })))
  )

/** Logs a different retention. A client without the right to read a topic's configuration may still write to it. */
const checkRetention = (admin: Admin, name: string): Effect.Effect<void> =>
  Effect.tryPromise(() =>
    admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames: ["retention.ms"] }]
    })
  ).pipe(
    Effect.flatMap(({ resources }) => {
      const found = resources[0]?.configEntries.find((_) => _.configName === "retention.ms")?.configValue
      return found === undefined || found === retention
        ? Effect.void
        : Effect.logWarning("the Kafka topic has another retention than 30 days").pipe(
            Effect.annotateLogs({ topic: name, retention_ms: found })
          )
    }),
    Effect.catch(() => Effect.logDebug("the configuration of the Kafka topic cannot be read"))
  )
