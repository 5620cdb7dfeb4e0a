import type { MetricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Duration, Effect, type Scope } from "effect"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"

/** Milliseconds between two looks at how late the event loop is. */
const resolution = 20

/** What is told is of the last one that is over, so that a bad minute is over some time, and whoever asks changes nothing. */
const window = Duration.minutes(1)

const quantiles = [0.5, 0.99]

/** What an event loop was like since it was last begun anew. */
export interface Meter {
  /**
   * How late it was, in seconds.
   *
   * @param quantile between 0 and 1
   */
  late(quantile: number): number
  /** Which part of the time it was busy, from 0 to 1. */
  busy(): number
  beginAnew(): void
}

/** The event loop of this process. */
const own: Effect.Effect<Meter, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const delay = monitorEventLoopDelay({ resolution })
      delay.enable()
      return delay
    }),
    (delay) => Effect.sync(() => void delay.disable())
  ),
  (delay) => {
    let began = performance.eventLoopUtilization()
    return {
      // The timer that measures is itself always as late as it is set to be.
      late: (quantile) => {
        const nanoseconds = delay.percentile(quantile * 100)
        return Number.isNaN(nanoseconds) ? 0 : Math.max(0, nanoseconds / 1e9 - resolution / 1000)
      },
      busy: () => performance.eventLoopUtilization(began).utilization,
      beginAnew: () => {
        delay.reset()
        began = performance.eventLoopUtilization()
      }
    }
  }
)

/**
 * Tells how late and how busy an event loop was in the last whole minute, in
 * the first one what there is of it, for as long as the scope is open.
 */
export const observed = Effect.fnUntraced(function* (all: MetricsRegistry, meter: Meter) {
  let last: Omit<Meter, "beginAnew"> = meter
  for (const quantile of quantiles) {
    all.gauge(
      "nodejs_eventloop_lag_seconds",
      "How late the event loop was in the last whole minute.",
      { quantile: String(quantile) },
      () => last.late(quantile)
    )
  }
  all.gauge(
    "nodejs_eventloop_utilization_ratio",
    "Which part of the last whole minute the event loop was busy.",
    {},
    () => last.busy()
  )
  const turn = Effect.sync(() => {
    const late = new Map(quantiles.map((quantile) => [quantile, meter.late(quantile)]))
    const busy = meter.busy()
    meter.beginAnew()
    last = { late: (quantile) => late.get(quantile) ?? 0, busy: () => busy }
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(turn, window)))
})

/** Of this process. */
export const eventLoop = Effect.fnUntraced(function* (all: MetricsRegistry) {
  yield* observed(all, yield* own)
})
