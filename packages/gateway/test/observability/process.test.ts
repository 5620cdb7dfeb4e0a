import { assert, it } from "@effect/vitest"
import { type EventLoopMonitor, observed } from "@portico/gateway/observability/eventLoop"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Effect, Layer, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { samplesIn, valueOf } from "./exposition.ts"

/** An event loop that is as it is set, and remembers the worst until it is begun anew. */
const meter = () => {
  let now = { late: 0, busy: 0 }
  let worst = now
  const be = (late: number, busy: number) => {
    now = { late, busy }
    worst = { late: Math.max(worst.late, late), busy: Math.max(worst.busy, busy) }
  }
  const own: EventLoopMonitor = {
    delayAt: (percentile) => (percentile > 50 ? worst.late : worst.late / 2),
    utilization: () => worst.busy,
    reset: () => {
      worst = now
    }
  }
  return { be, own }
}

const told = Effect.map(PrometheusMetrics.format(), (text) => {
  const samples = samplesIn(text)
  const lag = (percentile: number) => valueOf(samples, `nodejs_eventloop_lag_p${percentile}_seconds`)
  return [lag(50), lag(99), valueOf(samples, "nodejs_eventloop_utilization_ratio")]
})

const Fresh = Layer.sync(Metric.MetricRegistry, () => new Map())

it.effect("a minute with a late event loop is shown for a minute", () =>
  Effect.gen(function* () {
    const loop = meter()
    yield* observed(yield* metricsRegistry, loop.own)
    loop.be(4, 0.9)
    assert.deepStrictEqual(yield* told, [2, 4, 0.9], "in the first minute, what there is of it")
    loop.be(0.1, 0.2)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* told, [2, 4, 0.9])
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* told, [0.05, 0.1, 0.2])
  }).pipe(Effect.provide(Fresh))
)

it.effect("the number of scrapes does not change the values", () =>
  Effect.gen(function* () {
    const loop = meter()
    yield* observed(yield* metricsRegistry, loop.own)
    loop.be(0.4, 0.7)
    yield* TestClock.adjust("1 minute")
    for (let asked = 0; asked < 3; asked++) {
      loop.be(asked, 1)
      assert.deepStrictEqual(yield* told, [0.2, 0.4, 0.7])
    }
  }).pipe(Effect.provide(Fresh))
)
