import type { Effect } from "effect"
import type { UpstreamError } from "../UpstreamError.ts"

export interface Message {
  /** Messages with the same key go to one partition, in order. */
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

/** Null for an absent value, and for bytes that are not UTF-8. */
export interface Received {
  readonly key: string | null
  readonly value: string | null
}

/** The broker's error codes for a message or a batch that exceeds its size limit. */
export const tooLarge: ReadonlySet<string> = new Set(["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"])

/**
 * The client of an Apache Kafka. A missing topic is created on first use with a
 * retention of 30 days. An existing one stays unchanged.
 *
 * An error of the broker has its name as `code` and its number as `status`.
 * Without a response `status` is null.
 */
export interface Broker {
  /**
   * On success every in-sync replica has all messages. On failure some may have
   * been written, and after an interruption they may still be written.
   */
  send(topic: string, messages: ReadonlyArray<Message>): Effect.Effect<void, UpstreamError>
  /**
   * Receives messages from the oldest on, in a consumer group that all
   * processes share. Offsets are committed after the handler, so a message may
   * come again. It ends with a failure: of the brokers, or of the handler,
   * whose messages then come again.
   */
  receive<E, R>(topic: string, receiver: Receiver<E, R>): Effect.Effect<never, UpstreamError | E, R>
}

export interface Receiver<E, R> {
  /** Runs once the consumer has joined the group. */
  readonly joined: Effect.Effect<void>
  handle(messages: ReadonlyArray<Received>): Effect.Effect<void, E, R>
}
