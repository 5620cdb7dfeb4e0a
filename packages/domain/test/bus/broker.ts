import type { Message, Received } from "@portico/upstream/kafka/Broker"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Context, Effect, Layer, Queue } from "effect"

/** What becomes of calls: as a broker that is away, refuses, keeps an answer to itself, or is silent. */
export type Trouble = "down" | "refuses" | "lost" | "hangs"

interface State {
  readonly topics: Map<string, Array<Message>>
  /** How many calls there were, and of how many messages each. */
  readonly calls: Array<{ readonly topic: string; readonly messages: number }>
  /** Of some topics or, as `*`, of all. */
  readonly troubles: Map<string, Trouble>
  /** How many bytes a call may have: `message.max.bytes`. */
  limit: number
  /** What there is to be received, and how far that was noted as read. */
  readonly incoming: Queue.Queue<ReadonlyArray<Received>>
  noted: number
}

/** A Kafka in memory, for stories that move the clock. */
export class Broker extends Context.Service<Broker, State>()("portico/domain/test/Broker") {
  private static readonly itself = Layer.effect(
    Broker,
    Effect.gen(function* () {
      const incoming = yield* Queue.unbounded<ReadonlyArray<Received>>()
      return { topics: new Map(), calls: [], troubles: new Map(), limit: 1_048_588, incoming, noted: 0 }
    })
  )

  private static readonly client = Layer.effect(
    Kafka,
    Effect.gen(function* () {
      const state = yield* Broker
      return Kafka.of({
        api: {
          send: Effect.fnUntraced(function* (topic, messages) {
            state.calls.push({ topic, messages: messages.length })
            const trouble = state.troubles.get(topic) ?? state.troubles.get("*")
            if (trouble === "hangs") return yield* Effect.never
            if (trouble === "down") return yield* unanswered
            if (trouble === "refuses") return yield* refused(29, "TOPIC_AUTHORIZATION_FAILED")
            const bytes = messages.reduce((sum, { key, value }) => sum + Buffer.byteLength(key + value) + 70, 0)
            if (bytes > state.limit) return yield* refused(10, "MESSAGE_TOO_LARGE")
            state.topics.set(topic, [...(state.topics.get(topic) ?? []), ...messages])
            if (trouble === "lost") return yield* unanswered
          }),
          receive: Effect.fnUntraced(function* (_, { handle, joined }) {
            if (state.troubles.has("*")) return yield* unanswered
            yield* joined
            for (;;) {
              const messages = yield* Queue.take(state.incoming)
              yield* handle(messages)
              state.noted += messages.length
            }
          })
        }
      })
    })
  )

  static readonly layer = Layer.provideMerge(this.client, this.itself)
}

const unanswered = new UpstreamError({ upstream: "kafka", call: "send", status: null, detail: "Connection timeout" })

const refused = (status: number, code: string) =>
  new UpstreamError({ upstream: "kafka", call: "send", status, code, detail: code })
