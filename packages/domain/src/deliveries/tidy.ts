import { Deliveries } from "@portico/store/Deliveries"
import { atOnce } from "@portico/store/rows"
import { DateTime, Effect } from "effect"
import { DeliveryCounts } from "./DeliveryCounts.ts"
import { keptFor } from "./DeliverySettings.ts"

/** Prunes deliveries beyond the retention. */
export const pruneDeliveries = Effect.gen(function* () {
  const before = DateTime.subtractDuration(yield* DateTime.now, keptFor)
  yield* Effect.repeat((yield* Deliveries).prune(before), { while: (_) => _ === atOnce })
}).pipe(Effect.withSpan("deliveries.prune"))

/** Gives up what waits for targets that were disabled with more than fits into one statement. */
export const giveUpDeliveries = Effect.flatMap(Deliveries, (_) =>
  Effect.repeat(_.giveUp, { while: (_) => _ === atOnce })
).pipe(Effect.withSpan("deliveries.giveUp"))

/** Reads the backlog for the metrics. */
export const countDeliveries = Effect.gen(function* () {
  const { oldest, waiting } = yield* (yield* Deliveries).backlog
  const now = DateTime.toEpochMillis(yield* DateTime.now)
  const seconds = oldest === null ? 0 : Math.max(0, (now - DateTime.toEpochMillis(oldest)) / 1000)
  ;(yield* DeliveryCounts).waiting(waiting, seconds)
}).pipe(Effect.withSpan("deliveries.count"))
