import type { Effect } from "effect"
import type { UpstreamError } from "../UpstreamError.ts"

export interface Message {
  /** Messages of one key are on one partition, and so in order. */
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

/** Null stands for what the message does not have, or has as bytes that are no UTF-8. */
export interface Received {
  readonly key: string | null
  readonly value: string | null
}

/** What a broker calls a message, or messages that go together, of more bytes than it takes. */
export const tooLarge: ReadonlySet<string> = new Set(["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"])

/**
 * The questions of an Apache Kafka. A topic that is not there is made when it
 * is first used, keeping 30 days; one that is there stays as it is.
 *
 * A refusal has the broker's name for it as `code` and its number as `status`;
 * without an answer `status` is null.
 */
export interface Broker {
  /**
   * When it is done, every replica in sync has all of them. On failure, some of
   * them may be there, and on an interruption they may still come.
   */
  send(topic: string, messages: ReadonlyArray<Message>): Effect.Effect<void, UpstreamError>
  /**
   * Messages from the oldest that is there, shared with all who call this in
   * other processes. What was handled is noted afterwards, so that a message may
   * come again. Ends with a failure: of the brokers, or of the handler, whose
   * messages then come again.
   */
  receive<E, R>(topic: string, receiver: Receiver<E, R>): Effect.Effect<never, UpstreamError | E, R>
}

export interface Receiver<E, R> {
  /** The brokers are listened to from now on. */
  readonly joined: Effect.Effect<void>
  handle(messages: ReadonlyArray<Received>): Effect.Effect<void, E, R>
}
