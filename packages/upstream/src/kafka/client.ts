import { type Context, Deferred, Duration, Effect, Exit, Redacted, Scope, Semaphore } from "effect"
import kafkajs, { type Kafka, type KafkaConfig, type Producer, type SASLOptions } from "kafkajs"
import { isUtf8 } from "node:buffer"
import { trusting } from "../Trust.ts"
import { UpstreamError } from "../UpstreamError.ts"
import type { Broker, Received, Receiver } from "./Broker.ts"
import { errorOf, isUnknownTopic } from "./errors.ts"
import { logging } from "./logging.ts"
import type { Login, Settings } from "./settings.ts"
import { calm } from "./timers.ts"
import { ensureTopic, received, sent, type TopicKind } from "./topics.ts"

/** Longer than the library's own attempts take together, and shorter than a lease of the relay. */
const sendTime = Duration.seconds(20)
/** How long a connection may take to say goodbye. */
const closeTime = Duration.seconds(2)

/** Calls nobody yet. What it holds open ends with the scope. */
export const connect = Effect.fnUntraced(function* (
  settings: Settings,
  ca: ReadonlyArray<string> | undefined
): Effect.fn.Return<Broker, never, Scope.Scope> {
  calm()
  const kafka = new kafkajs.Kafka(configOf(settings, ca, yield* Effect.context<never>()))
  const { forget, present } = yield* topicsOf(kafka, settings)
  const producers = yield* producersOf(kafka)

  return {
    send: Effect.fn("Kafka.send")(function* (topic, messages) {
      const name = yield* present(topic, sent)
      const sending = producers.use((producer) =>
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

const configOf = (
  { brokers, login, tls }: Settings,
  ca: ReadonlyArray<string> | undefined,
  context: Context.Context<never>
): KafkaConfig => ({
  brokers: [...brokers],
  clientId: "portico",
  connectionTimeout: 5_000,
  authenticationTimeout: 5_000,
  requestTimeout: 8_000,
  // The relay and the consumer have pauses of their own; these are for a leader that moves.
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

/** Which topics are known to be there, so that they are asked after once. */
const topicsOf = Effect.fnUntraced(function* (kafka: Kafka, settings: Settings) {
  const there = new Set<string>()
  // One after the other: at a start all of them are asked after at once.
  const turn = yield* Semaphore.make(1)
  return {
    /** Its name over there. */
    present: (topic: string, kind: TopicKind) =>
      turn.withPermit(
        Effect.gen(function* () {
          const name = `${settings.prefix}${topic}`
          if (!there.has(topic)) yield* inTime("createTopics", ensureTopic(kafka, settings, { name, ...kind }))
          there.add(topic)
          return name
        })
      ),
    forget: (topic: string) => Effect.sync(() => there.delete(topic))
  }
})

/**
 * One producer at a time. One that was left without an answer is given up, and
 * with it whatever it may still be about to send: a fresh one finds the brokers
 * again whatever has become of them.
 */
const producersOf = Effect.fnUntraced(function* (kafka: Kafka) {
  let current: Producer | undefined
  const give = () =>
    (current ??= kafka.producer({
      // Murmur2, the same as that of Java: whoever else writes to a topic finds the same partitions.
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      // Order within a key: nothing is under way behind what is sent again.
      maxInFlightRequests: 1
    }))
  const drop = (producer: Producer) =>
    Effect.suspend(() => {
      if (current === producer) current = undefined
      return farewell(() => producer.disconnect())
    })
  yield* Effect.addFinalizer(() => Effect.suspend(() => (current === undefined ? Effect.void : drop(current))))

  return {
    use: (send: (producer: Producer) => Promise<unknown>): Effect.Effect<void, UpstreamError> =>
      Effect.suspend(() => {
        const producer = give()
        return inTime(
          "send",
          Effect.tryPromise({
            try: async () => {
              await producer.connect()
              await send(producer)
            },
            catch: errorOf("send")
          })
        ).pipe(
          Effect.tapError(({ status }) => (status === null ? Effect.forkDetach(drop(producer)) : Effect.void)),
          Effect.onInterrupt(() => Effect.forkDetach(drop(producer)))
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
            // Another one takes over from a process that was killed when so long nothing was heard of it.
            sessionTimeout: 10_000,
            // A crash ends this, and the caller begins again after a pause.
            retry: { initialRetryTime: 200, retries: 2, maxRetryTime: 1_000, restartOnFailure: async () => false }
          })
        ),
        (consumer) => farewell(() => consumer.disconnect())
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
              // Its offsets are not noted; the reason is with the caller.
              throw new kafkajs.KafkaJSNonRetriableError("what was received could not be handled")
            }
          })
        },
        catch: errorOf("receive")
      })
      yield* joined
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

const inTime = <A>(call: string, effect: Effect.Effect<A, UpstreamError>): Effect.Effect<A, UpstreamError> =>
  Effect.timeoutOrElse(effect, {
    duration: sendTime,
    orElse: () =>
      new UpstreamError({
        upstream: "kafka",
        call,
        status: null,
        words: `no answer within ${Duration.format(sendTime)}`
      })
  })

/** A broker that is gone hears no goodbye. */
const farewell = (disconnect: () => Promise<void>): Effect.Effect<void> =>
  Effect.tryPromise(disconnect).pipe(Effect.timeoutOption(closeTime), Effect.ignore)
