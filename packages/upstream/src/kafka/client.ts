import { type Context, Deferred, Duration, Effect, Exit, Redacted, Scope, Semaphore } from "effect"
import kafkajs, { type Kafka, type KafkaConfig, type Producer, type SASLOptions } from "kafkajs"
import { isUtf8 } from "node:buffer"
import { trusting } from "../Trust.ts"
import { inTime } from "../System.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Broker, Received, Receiver } from "./Broker.ts"
import { registerCodecs } from "./codecs.ts"
import { errorOf, isUnknownTopic } from "./errors.ts"
import { logging } from "./logging.ts"
import type { Login, Settings } from "./settings.ts"
import { stopIdleTimers } from "./timers.ts"
import { ensureTopic, received, sent, type TopicKind } from "./topics.ts"

/** Longer than all attempts of the library together, and shorter than the relay's lease. */
const sendTime = Duration.seconds(20)
/** The time-out of a disconnect. */
const closeTime = Duration.seconds(2)

/** Opens no connection yet. The scope closes later connections. */
export const connect = Effect.fnUntraced(function* (
  settings: Settings,
  ca: ReadonlyArray<string> | undefined
): Effect.fn.Return<Broker, never, Scope.Scope> {
  stopIdleTimers()
  registerCodecs()
  const kafka = new kafkajs.Kafka(configOf(settings, ca, yield* Effect.context<never>()))
  const { forget, present } = yield* topicsOf(kafka, settings)
  const producers = yield* producersOf(kafka)

  return {
    send: Effect.fn("Kafka.send")(function* (topic, messages) {
      const name = yield* present(topic, sent)
      const sending = producers.use(topic, (producer) =>
        producer.send({
          topic: name,
          acks: -1,
          messages: messages.map(({ headers, key, value }) => ({ key, value, headers: { ...headers } }))
        })
      )
      yield* Effect.tapError(sending, (error) => (isUnknownTopic(error) ? forget(topic) : Effect.void))
    }),
    receive: Effect.fnUntraced(function* (topic, receiver) {
      const name = yield* present(topic, received)
      return yield* receiving(kafka, `${settings.prefix}portico`, name, receiver)
    })
  }
})

/** How the library connects. */
export const configOf = (
  { brokers, login, tls }: Settings,
  ca: ReadonlyArray<string> | undefined,
  context: Context.Context<never>
): KafkaConfig => ({
  brokers: [...brokers],
  clientId: "portico",
  connectionTimeout: 5_000,
  authenticationTimeout: 5_000,
  requestTimeout: 8_000,
  // Of connections and of questions about the cluster. The relay and the consumer have longer pauses of their own.
  retry: { initialRetryTime: 200, retries: 2, maxRetryTime: 1_000 },
  logLevel: kafkajs.logLevel.INFO,
  logCreator: logging(context),
  ...(tls ? { ssl: trusting(ca) } : {}),
  ...(login === undefined ? {} : { sasl: saslOf(login) })
})

const saslOf = ({ mechanism, password, username }: Login): SASLOptions => {
  const proof = { username, password: Redacted.value(password) }
  if (mechanism === "plain") return { mechanism, ...proof }
  return mechanism === "scram-sha-256" ? { mechanism, ...proof } : { mechanism, ...proof }
}

/** The topics that are known to exist, so that each is checked once. */
const topicsOf = Effect.fnUntraced(function* (kafka: Kafka, settings: Settings) {
  const known = new Set<string>()
  // Serialised, because at start all topics are checked at once.
  const lock = yield* Semaphore.make(1)
  return {
    /** Ensures that the topic exists and returns its prefixed name. */
    present: (topic: string, kind: TopicKind) =>
      lock.withPermit(
        Effect.gen(function* () {
          const name = `${settings.prefix}${topic}`
          if (!known.has(topic))
            yield* inTime("kafka", "create topics", sendTime)(ensureTopic(kafka, settings, { name, ...kind }))
          known.add(topic)
          return name
        })
      ),
    forget: (topic: string) => Effect.sync(() => known.delete(topic))
  }
})

/**
 * One producer at a time for each topic: the library's producer refuses all of its topics as long as the brokers refuse
 * one of them. A producer whose send got no response is dropped, together with anything that it may still send. A new
 * producer discovers the brokers again.
 */
const producersOf = Effect.fnUntraced(function* (kafka: Kafka) {
  const current = new Map<string, Producer>()
  const producerOf = (topic: string): Producer => {
    const producer =
      current.get(topic) ??
      kafka.producer({
        // Murmur2, as in the Java client: other writers to a topic choose the same partitions.
        createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
        allowAutoTopicCreation: false,
        // Keeps the order within a key: no other request is in flight behind a retry.
        maxInFlightRequests: 1,
        // A retry of the library sends nothing to a broker that has answered before, not even the messages of a
        // partition that this broker has become the leader of meanwhile: they would be lost. The relay sends all again.
        retry: { retries: 0 }
      })
    current.set(topic, producer)
    return producer
  }
  const drop = (topic: string, producer: Producer) =>
    Effect.suspend(() => {
      if (current.get(topic) === producer) current.delete(topic)
      return disconnectQuietly(() => producer.disconnect())
    })
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...current], ([topic, producer]) => drop(topic, producer), {
      concurrency: "unbounded",
      discard: true
    })
  )

  return {
    use: (topic: string, send: (producer: Producer) => Promise<unknown>): Effect.Effect<void, UpstreamError> =>
      Effect.suspend(() => {
        const producer = producerOf(topic)
        return Effect.tryPromise({
          try: async () => {
            await producer.connect()
            await send(producer)
          },
          catch: errorOf("send")
        }).pipe(
          inTime("kafka", "send", sendTime),
          Effect.tapError(({ status }) => (status === null ? Effect.forkDetach(drop(topic, producer)) : Effect.void)),
          Effect.onInterrupt(() => Effect.forkDetach(drop(topic, producer)))
        )
      })
  }
})

const receiving = <E, R>(
  kafka: Kafka,
  groupId: string,
  topic: string,
  { handle, joined }: Receiver<E, R>
): Effect.Effect<never, UpstreamError | E, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const context = yield* Effect.context<R>()
      const consumer = yield* Effect.acquireRelease(
        Effect.sync(() =>
          kafka.consumer({
            groupId,
            allowAutoTopicCreation: false,
            maxWaitTimeInMs: 1_000,
            // The group reassigns the partitions of a killed process after this time without a heartbeat.
            sessionTimeout: 10_000,
            // A crash ends `receive`, and the caller starts again after a pause.
            retry: { initialRetryTime: 200, retries: 2, maxRetryTime: 1_000, restartOnFailure: async () => false }
          })
        ),
        (consumer) => disconnectQuietly(() => consumer.disconnect())
      )
      const ended = yield* Deferred.make<void, UpstreamError | E>()
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        Deferred.doneUnsafe(ended, Effect.fail(errorOf("receive")(payload.error)))
      })
      yield* Effect.tryPromise({
        try: async () => {
          await consumer.connect()
          await consumer.subscribe({ topics: [topic], fromBeginning: true })
          await consumer.run({
            eachBatch: async ({ batch }) => {
              const exit = await Effect.runPromiseExitWith(context)(handle(batch.messages.map(receivedOf)))
              if (Exit.isSuccess(exit)) return
              Deferred.doneUnsafe(ended, exit)
              // Prevents the commit of the batch's offsets. The caller has the reason.
              throw new kafkajs.KafkaJSNonRetriableError("what was received could not be handled")
            }
          })
        },
        catch: errorOf("receive")
      })
      // The library also goes on from here when it could not join.
      if (!(yield* Deferred.isDone(ended))) yield* joined
      yield* Deferred.await(ended)
      return yield* Effect.never
    })
  )

const receivedOf = ({ key, value }: { readonly key: Buffer | null; readonly value: Buffer | null }): Received => ({
  key: textOf(key),
  value: textOf(value)
})

const textOf = (bytes: Buffer | null): string | null =>
  bytes !== null && isUtf8(bytes) ? bytes.toString("utf8") : null

/** Disconnects and ignores failures, because the broker may be gone. */
const disconnectQuietly = (disconnect: () => Promise<void>): Effect.Effect<void> =>
  Effect.tryPromise(disconnect).pipe(Effect.timeoutOption(closeTime), Effect.ignore)
