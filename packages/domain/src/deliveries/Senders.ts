import type { Event } from "@portico/contract/Events"
import type { TargetEntry, TargetKind } from "@portico/store/Targets"
import type { NotPosted } from "@portico/upstream/delivery/Connector"
import { CallOwner } from "@portico/upstream/limits/longTexts"
import { Context, Effect, Schema } from "effect"

/** An event to be sent, the same in every attempt. */
export interface Message {
  /** The envelope's id. */
  readonly id: string
  readonly event: Event
  /** The envelope as JSON, sent and signed byte for byte. */
  readonly body: string
}

/** The target accepted the message. */
export interface Sent {
  /** The response's status; null for a protocol without one. */
  readonly status: number | null
}

/** The message was not delivered, as far as the sender knows. */
export class NotSent extends Schema.TaggedError<NotSent>()("NotSent", {
  /** The response's status; null without a response. */
  status: Schema.NullOr(Schema.Int),
  /** The reason, shown to the target's tenant: part of a sentence, without a secret, such as `answered 500`. */
  why: Schema.String,
  /** The target wants no more events (410): it is disabled at once. */
  gone: Schema.Boolean,
  /**
   * Set when no further attempt at this event makes sense: the target refuses it permanently, or it
   * is left out without a fault of the target.
   */
  verdict: Schema.optionalKey(Schema.Literals(["refused", "left_out"]))
}) {}

/**
 * Makes one attempt to send a message to a target of one kind. It does not retry, and is
 * interrupted after `attemptTime`.
 */
export interface Sender {
  send(target: TargetEntry, message: Message): Effect.Effect<Sent, NotSent>
}

/** Dispatches to the sender of the target's kind; the composition root provides the senders. */
export class Senders extends Context.Service<Senders, Sender>()("portico/domain/deliveries/Senders") {
  static readonly over = (senders: Readonly<Partial<Record<TargetKind, Sender>>>) =>
    Senders.of({
      send: (target, message) => {
        const sent =
          senders[target.kind]?.send(target, message) ??
          Effect.fail(new NotSent({ status: null, why: "there is no way to send to it here", gone: false }))
        return Effect.provideService(sent, CallOwner, target.project_id)
      }
    })
}

/** Maps a response status: only 2xx is a delivery; redirects are not followed. */
export const answered = <R>(status: Effect.Effect<number, NotPosted, R>): Effect.Effect<Sent, NotSent, R> =>
  Effect.matchEffect(status, {
    onFailure: ({ why }) => new NotSent({ status: null, why, gone: false }),
    onSuccess: (status) =>
      status >= 200 && status < 300
        ? Effect.succeed({ status })
        : new NotSent({ status, why: `it answered ${status}`, gone: status === 410 })
  })
