import type { Attempt } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { DateTime, Duration, Effect } from "effect"
import { orLogged } from "../reconcile.ts"
import { DeliverySettings } from "./DeliverySettings.ts"
import { type Message, NotSent, Senders } from "./Senders.ts"

/** The result of an attempt. */
export interface Tried {
  readonly attempt: Attempt
  readonly gone: boolean
  /** Set when no further attempt makes sense, see {@link NotSent}. */
  readonly verdict: NotSent["verdict"]
}

/** Sends a message once. It never fails, and takes at most the attempt timeout. */
export const trySending = Effect.fnUntraced(function* (target: TargetEntry, message: Message) {
  const { attemptTime } = yield* DeliverySettings
  const { send } = yield* Senders
  const began = yield* DateTime.now
  const late = new NotSent({
    status: null,
    why: `there was no answer within ${Duration.toSeconds(attemptTime)} s`,
    gone: false
  })
  const sent = send(target, message).pipe(
    Effect.timeoutOrElse({ duration: attemptTime, orElse: () => Effect.fail(late) }),
    Effect.map(({ status }) => ({ status, why: null, gone: false, verdict: undefined })),
    Effect.catchTag("NotSent", ({ gone, status, verdict, why }) => Effect.succeed({ status, why, gone, verdict }))
  )
  const broken = { status: null, why: "it could not be sent", gone: false, verdict: undefined }
  const { gone, status, verdict, why } = yield* orLogged(
    sent,
    `nothing can be sent to the target ${target.target_id}`,
    Effect.succeed(broken)
  )
  const duration_ms = DateTime.toEpochMillis(yield* DateTime.now) - DateTime.toEpochMillis(began)
  return { attempt: { at: DateTime.formatIso(began), status, duration_ms, error: why }, gone, verdict } satisfies Tried
})
