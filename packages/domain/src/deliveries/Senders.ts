import type { Event } from "@portico/contract/Events"
import type { TargetEntry, TargetKind } from "@portico/store/Targets"
import type { NotPosted } from "@portico/upstream/delivery/Connector"
import { Context, Effect, Schema } from "effect"

/** An event on its way, the same in every attempt. */
export interface Message {
  /** The envelope's id. */
  readonly id: string
  readonly event: Event
  /** The envelope as JSON: what is sent and signed, byte for byte. */
  readonly body: string
}

/** It has arrived. */
export interface Sent {
  /** Of the answer; null where there are none. */
  readonly status: number | null
}

/** It has not, as far as is known. */
export class NotSent extends Schema.TaggedError<NotSent>()("NotSent", {
  /** Of the answer; null without one. */
  status: Schema.NullOr(Schema.Int),
  /** For the target's tenant: a sentence's part without a secret, such as `answered 500`. */
  why: Schema.String,
  /** The target says that it wants nothing any more (410): it is disabled at once. */
  gone: Schema.Boolean,
  /**
   * Where no further attempt at this event makes sense: it is refused for good,
   * or it is left out without any fault of the target.
   */
  verdict: Schema.optionalKey(Schema.Literals(["refused", "left_out"]))
}) {}

/**
 * One attempt to send a message to a target of one kind. It does not repeat
 * anything by itself, and is interrupted after `attemptTime`.
 */
export interface Sender {
  send(target: TargetEntry, message: Message): Effect.Effect<Sent, NotSent>
}

/** Each kind's sender; whoever puts the parts together has all of them. */
export class Senders extends Context.Service<Senders, Sender>()("portico/domain/deliveries/Senders") {
  static readonly over = (senders: Readonly<Partial<Record<TargetKind, Sender>>>) =>
    Senders.of({
      send: (target, message) =>
        senders[target.kind]?.send(target, message) ??
        Effect.fail(new NotSent({ status: null, why: "there is no way to send to it here", gone: false }))
    })
}

/** What an answer's status means: 2xx is an arrival, and nothing else is; a redirect is not followed. */
export const answered = <R>(status: Effect.Effect<number, NotPosted, R>): Effect.Effect<Sent, NotSent, R> =>
  Effect.matchEffect(status, {
    onFailure: ({ why }) => new NotSent({ status: null, why, gone: false }),
    onSuccess: (status) =>
      status >= 200 && status < 300
        ? Effect.succeed({ status })
        : new NotSent({ status, why: `it answered ${status}`, gone: status === 410 })
  })
