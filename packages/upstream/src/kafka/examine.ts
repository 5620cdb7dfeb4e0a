import { Effect, type Scope } from "effect"
import kafkajs from "kafkajs"
import type { UpstreamError } from "../UpstreamError.ts"
import { configOf } from "./client.ts"
import { errorOf } from "./errors.ts"
import type { Settings } from "./settings.ts"
import { received, sent, tryTopics } from "./topics.ts"

/** What the brokers say of themselves. */
export interface Examined {
  readonly brokers: number
  /** Topics of the gateway that are not there yet, with their prefix. The brokers would create them, if they are enough. */
  readonly absent: ReadonlyArray<string>
}

/** How long a connection that is given up may take to end. */
const closeTime = "1 second"

/**
 * Brokers give a producer its number only if the user may write to some topic (KIP-679). Nothing is written, and no topic
 * is made; who may write to one topic and not to another is not seen.
 */
const tryWriting = (kafka: kafkajs.Kafka) =>
  Effect.acquireUseRelease(
    Effect.sync(() => kafka.producer({ idempotent: true, allowAutoTopicCreation: false })),
    (producer) => Effect.tryPromise({ try: () => producer.connect(), catch: errorOf("try to write") }),
    (producer) => closed(() => producer.disconnect())
  )

const closed = (disconnect: () => Promise<void>) =>
  Effect.ignore(Effect.timeoutOption(Effect.tryPromise(disconnect), closeTime))

/**
 * Logs in, lists brokers and topics, and asks whether the brokers would create the missing ones and let the user write.
 * Nothing is created. With fewer brokers than a topic is to have replicas they would create none, and are not asked.
 *
 * @param topics without their prefix
 * @param from those of them that the gateway only reads
 */
export const examine = (
  settings: Settings,
  ca: ReadonlyArray<string> | undefined,
  { from, topics }: { readonly topics: ReadonlyArray<string>; readonly from: ReadonlyArray<string> }
): Effect.Effect<Examined, UpstreamError, Scope.Scope> =>
  Effect.gen(function* () {
    const kafka = new kafkajs.Kafka(configOf(settings, ca, yield* Effect.context<never>()))
    const asked = <A>(call: string, run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: errorOf(call) })
    const admin = yield* Effect.acquireRelease(
      Effect.sync(() => kafka.admin()),
      (admin) => closed(() => admin.disconnect())
    )
    yield* asked("connect", () => admin.connect())
    const { brokers } = yield* asked("describe the cluster", () => admin.describeCluster())
    const existing = yield* asked("list topics", () => admin.listTopics())
    const wanted = topics
      .map((topic) => ({ name: `${settings.prefix}${topic}`, ...(from.includes(topic) ? received : sent) }))
      .filter(({ name }) => !existing.includes(name))
    if (wanted.length > 0 && brokers.length >= settings.replication) yield* tryTopics(admin, settings, wanted)
    yield* tryWriting(kafka)
    return { brokers: brokers.length, absent: wanted.map((_) => _.name) }
  })
