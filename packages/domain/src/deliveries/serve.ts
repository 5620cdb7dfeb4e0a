import { type Attempt, type Concluded, Deliveries, type DeliveryRow, type Waiting } from "@portico/store/Deliveries"
import { type TargetEntry, Targets } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { DateTime, Duration, Effect } from "effect"
import { Bus } from "../events/Bus.ts"
import { orLogged } from "../work/orLogged.ts"
import { DeliveryCounts } from "./DeliveryCounts.ts"
import { DeliverySettings, pauses, rest } from "./DeliverySettings.ts"
import { disabledOf } from "./disabledOf.ts"
import { type Message, NotSent, Senders } from "./Senders.ts"
import { messageOf } from "./message.ts"

/** The events sent to one target in a turn, so other targets get their turns. */
const eventsPerTurn = 20

/** The error of a delivery whose event was pruned. */
const prunedReason = "The event is no longer kept"

/**
 * Sends a target's waiting events one after the other, until none is due or its turn is over.
 *
 * @param claimed a row whose lease the caller holds
 * @returns how long until an event may be due; undefined when that is unknown, or another process
 * has the target
 */
export const serve = Effect.fn("deliveries.serve")(function* (claimed: TargetEntry) {
  const deliveries = yield* Deliveries
  const sent = Effect.gen(function* () {
    let held: TargetEntry = claimed
    for (let count = 0; count < eventsPerTurn; count++) {
      const waiting = yield* deliveries.next(held)
      if (waiting === undefined) return undefined
      const { entry, pause } = yield* deliver(held, waiting)
      if (entry?.state !== "active") return undefined
      if (Duration.toMillis(pause) > 0) return pause
      held = entry
    }
    return Duration.zero
  })
  // When the result cannot be stored, the target waits until the lease ends.
  return yield* Effect.tap(
    Effect.onInterrupt(sent, () => deliveries.release(claimed)),
    () => deliveries.release(claimed)
  )
})

/**
 * Makes one attempt at the next event. Without an entry another process has the target by now, or
 * the target is gone.
 */
const deliver = Effect.fnUntraced(function* (target: TargetEntry, { delivery, envelope }: Waiting) {
  const message = messageOf(envelope)
  if (message === undefined) {
    const { failing_since, failures_in_a_row } = target
    const health = { failures_in_a_row, failing_since, pause: Duration.zero, rests: false }
    const given = { attempt: undefined, state: "failed", given_up: prunedReason, ...health } as const
    return { entry: yield* (yield* Deliveries).conclude(target, delivery, given), pause: Duration.zero }
  }
  const tried = yield* trySending(target, message)
  const concluded = conclusionOf(target, delivery, tried, yield* DateTime.now)
  const entry = yield* written(target, delivery, concluded, tried)
  if (entry !== undefined) (yield* DeliveryCounts).attempted(target.kind, concluded.state)
  return { entry, pause: concluded.pause }
})

/** After the third attempt the event fails, and the target pauses. */
const conclusionOf = (
  { failing_since, failures_in_a_row }: TargetEntry,
  { attempts }: DeliveryRow,
  { attempt, gone, verdict }: Tried,
  now: DateTime.Utc
): Concluded => {
  const base = { attempt, given_up: null, rests: false }
  if (attempt.error === null) {
    return { ...base, state: "delivered", pause: Duration.zero, failures_in_a_row: 0, failing_since: null }
  }
  if (verdict === "left_out") {
    const health = { failures_in_a_row, failing_since, pause: Duration.zero }
    return { ...base, attempt: undefined, state: "failed", given_up: attempt.error, ...health }
  }
  const pause = gone || verdict === "refused" ? undefined : pauses[attempts.length]
  if (pause !== undefined) return { ...base, state: "pending", pause, failures_in_a_row, failing_since }
  return {
    ...base,
    state: "failed",
    pause: rest,
    rests: true,
    failures_in_a_row: failures_in_a_row + 1,
    failing_since: failing_since ?? now
  }
}

/** Stores the result and, when that disables the target, the reason and its event, all in one transaction. */
const written = Effect.fnUntraced(function* (
  target: TargetEntry,
  delivery: DeliveryRow,
  concluded: Concluded,
  { gone }: Tried
) {
  const deliveries = yield* Deliveries
  const settings = yield* DeliverySettings
  const now = yield* DateTime.now
  return yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      const entry = yield* deliveries.conclude(target, delivery, concluded)
      if (entry === undefined) return undefined
      const reason = gone ? goneReason : reasonToDisable(entry, concluded, settings, now)
      return reason === undefined ? entry : yield* disabled(entry, reason, now)
    })
  )
})

const goneReason = "It answered 410: it wants no events any more"

const reasonToDisable = (
  { failing_since, failures_in_a_row }: TargetEntry,
  { state }: Concluded,
  { disableFailures, disableTime }: DeliverySettings["Service"],
  now: DateTime.Utc
): string | undefined => {
  if (state !== "failed" || failing_since === null || failures_in_a_row < disableFailures) return undefined
  const since = DateTime.toEpochMillis(now) - DateTime.toEpochMillis(failing_since)
  if (since < Duration.toMillis(disableTime)) return undefined
  return `${failures_in_a_row} events in a row did not arrive since ${DateTime.formatIso(failing_since)}`
}

const disabled = Effect.fnUntraced(function* (entry: TargetEntry, reason: string, now: DateTime.Utc) {
  const off = yield* (yield* Targets).disable(entry.project_id, entry.target_id, reason)
  if (off === undefined) return { ...entry, state: "disabled" } satisfies TargetEntry
  yield* (yield* Bus).publish([disabledOf(off, reason, now)])
  return off
})

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
