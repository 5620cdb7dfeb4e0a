import { Duration, Effect } from "effect"
import kafkajs, { type Admin, type Kafka } from "kafkajs"
import type { UpstreamError } from "../UpstreamError.ts"
import { errorOf, isTaken } from "./errors.ts"
import type { Settings } from "./settings.ts"

/** How long topics keep their messages (contract, Limits), in milliseconds. */
const retention = `${Duration.toMillis(Duration.days(30))}`

const { ConfigResourceTypes } = kafkajs

export interface TopicKind {
  /** `producer` leaves messages as they come. */
  readonly compression: "producer" | "gzip"
}

export const sent: TopicKind = { compression: "producer" }
/** The brokers make it gzip whatever the sender has used: the library understands nothing else. */
export const received: TopicKind = { compression: "gzip" }

interface Wanted extends TopicKind {
  /** With its prefix. */
  readonly name: string
}

/**
 * Sees to it that a topic is there. One that somebody else has made stays as it
 * is: another retention is logged.
 */
export const ensureTopic = (kafka: Kafka, settings: Settings, wanted: Wanted): Effect.Effect<void, UpstreamError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const admin = yield* Effect.acquireRelease(
        Effect.sync(() => kafka.admin()),
        (admin) => Effect.ignore(Effect.tryPromise(() => admin.disconnect()))
      )
      yield* Effect.tryPromise({ try: () => admin.connect(), catch: errorOf("connect") })
      const there = yield* Effect.tryPromise({ try: () => admin.listTopics(), catch: errorOf("listTopics") })
      yield* there.includes(wanted.name) ? look(admin, wanted.name) : make(admin, settings, wanted)
    })
  )

const make = (admin: Admin, { partitions, replication }: Settings, { compression, name }: Wanted) =>
  Effect.tryPromise({
    try: () =>
      admin.createTopics({
        timeout: 10_000,
        topics: [
          {
            topic: name,
            numPartitions: partitions,
            replicationFactor: replication,
            configEntries: [
              { name: "cleanup.policy", value: "delete" },
              { name: "retention.ms", value: retention },
              // With three replicas one broker may be away; whoever has fewer has chosen to have no choice.
              { name: "min.insync.replicas", value: replication >= 3 ? "2" : "1" },
              { name: "compression.type", value: compression }
            ]
          }
        ]
      }),
    catch: errorOf("createTopics")
  }).pipe(
    Effect.catchIf(isTaken, () => Effect.void),
    Effect.andThen(Effect.logInfo("a topic of Kafka is there from now on").pipe(Effect.annotateLogs({ topic: name })))
  )

/** Whoever may not look at a topic's settings may write to it all the same. */
const look = (admin: Admin, name: string): Effect.Effect<void> =>
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
        : Effect.logWarning("a topic of Kafka keeps its messages for another time than 30 days").pipe(
            Effect.annotateLogs({ topic: name, retention_ms: found })
          )
    }),
    Effect.catch(() => Effect.logDebug("the settings of a topic of Kafka cannot be seen"))
  )
