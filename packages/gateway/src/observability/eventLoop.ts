import type { MetricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Duration, Effect, type Scope } from "effect"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"

/** Sampling interval of the event loop delay, in milliseconds. */
const resolution = 20

/**
 * Metrics describe the last complete window. A bad minute leaves them after a minute, and scrapes do not affect them.
 */
const window = Duration.minutes(1)

/** In the metrics' names, because Prometheus keeps the label `quantile` for summaries. */
const percentiles = [50, 99]

/** Measurements of an event loop since the last reset. */
export interface EventLoopMonitor {
  /**
   * The delay in seconds.
   *
   * @param percentile between 0 and 100
   */
  delayAt(percentile: number): number
  /** The fraction of time in which it was busy, from 0 to 1. */
  utilization(): number
  reset(): void
}

/** The event loop of this process. */
const processMonitor: Effect.Effect<EventLoopMonitor, never, Scope.Scope> = Effect.map(
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
      // The measuring timer is always late by its own resolution.
      delayAt: (percentile) => {
        const nanoseconds = delay.percentile(percentile)
        return Number.isNaN(nanoseconds) ? 0 : Math.max(0, nanoseconds / 1e9 - resolution / 1000)
      },
      utilization: () => performance.eventLoopUtilization(began).utilization,
      reset: () => {
        delay.reset()
        began = performance.eventLoopUtilization()
      }
    }
  }
)

/**
 * Publishes the delay and the utilization of an event loop in the last complete minute, until the scope ends. In the
 * first minute it publishes the values so far.
 */
export const observed = Effect.fnUntraced(function* (all: MetricsRegistry, monitor: EventLoopMonitor) {
  let last: Omit<EventLoopMonitor, "reset"> = monitor
  for (const percentile of percentiles) {
    all.gauge(
      `nodejs_eventloop_lag_p${percentile}_seconds`,
      `Event loop delay in the last complete minute, ${percentile}th percentile.`,
      {},
      () => last.delayAt(percentile)
    )
  }
  all.gauge(
    "nodejs_eventloop_utilization_ratio",
    "Fraction of the last complete minute in which the event loop was busy.",
    {},
    () => last.utilization()
  )
  const rotate = Effect.sync(() => {
    const delayAt = new Map(percentiles.map((_) => [_, monitor.delayAt(_)]))
    const utilization = monitor.utilization()
    monitor.reset()
    last = { delayAt: (percentile) => delayAt.get(percentile) ?? 0, utilization: () => utilization }
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(rotate, window)))
})

/** The metrics of this process. */
export const eventLoop = Effect.fnUntraced(function* (all: MetricsRegistry) {
  yield* observed(all, yield* processMonitor)
})
