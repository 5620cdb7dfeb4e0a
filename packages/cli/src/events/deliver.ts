import type { Event } from "@portico/contract/Events"
import { Duration, Effect } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { type Attempted, attempt } from "./post.ts"

export interface Receiver {
  readonly url: URL
  readonly secret: string
  /** Of one attempt, in seconds. */
  readonly seconds: number
  /** After so many attempts an event is given up; without a number, never. */
  readonly attempts: number | undefined
}

/** An attempt, as it is shown. */
export interface Delivered extends Attempted {
  readonly event_id: string
  readonly kind: string
  readonly key: string
  /** Which attempt at the event it was, from 1 on. */
  readonly attempt: number
  readonly delivered: boolean
  /** Seconds until the next attempt; null when there is none. */
  readonly again_in: number | null
}

/** Seconds before the next attempt. Shorter than the gateway's, because a person waits for it. */
const pauses = [0.5, 1, 2, 5] as const
const longest = 5

/**
 * Delivers one event: until the receiver accepts it, or as often as is allowed. An attempt that has begun is not cut
 * off, because the receiver may have the event already, so that it would get it twice.
 *
 * @param accepted runs when the receiver has the event, or it is given up; not interrupted either
 * @returns whether the receiver has it
 */
export const deliver = Effect.fnUntraced(function* <E1, R1, E2, R2>(
  receiver: Receiver,
  event: Event,
  shown: (delivered: Delivered) => Effect.Effect<void, E1, R1>,
  accepted: Effect.Effect<void, E2, R2>
) {
  for (let count = 1; ; count++) {
    const once = Effect.gen(function* () {
      const result = yield* attempt(receiver.url, receiver.secret, event, receiver.seconds)
      const { error, status } = result
      const isLast = error === null || status === 410 || count === receiver.attempts
      const again_in = isLast ? null : (pauses[count - 1] ?? longest)
      const { id: event_id, key, kind } = event
      if (error === null || (isLast && status !== 410)) yield* accepted
      yield* shown({ event_id, kind, key, attempt: count, delivered: error === null, ...result, again_in })
      return { again_in, isGone: status === 410, isDelivered: error === null }
    })
    const { again_in, isDelivered, isGone } = yield* Effect.uninterruptible(once)
    if (isGone) {
      return yield* new CliFailure({
        exit: "refused",
        message: "The receiver answered 410: it wants no more events",
        hint: "A webhook would be disabled now. The event is sent again at the next start"
      })
    }
    if (again_in === null) return isDelivered
    yield* Effect.sleep(Duration.seconds(again_in))
  }
})
