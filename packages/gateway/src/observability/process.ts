import { series } from "@portico/upstream/Series"
import { Effect, Layer } from "effect"
import { constants, monitorEventLoopDelay, PerformanceObserver, performance } from "node:perf_hooks"

/** Milliseconds between two looks at how late the event loop is. */
const resolution = 20

const kinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb"
}

const seconds = (nanoseconds: number): number => (Number.isNaN(nanoseconds) ? 0 : nanoseconds / 1e9)

/** What the process itself uses: memory, processor time, how late its event loop is, and the collection of garbage. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const all = yield* series
    const memory = (name: string, description: string, read: () => number) => all.gauge(name, description, {}, read)
    memory("process_resident_memory_bytes", "Memory that the process holds.", () => process.memoryUsage.rss())
    memory("nodejs_heap_used_bytes", "JavaScript heap in use.", () => process.memoryUsage().heapUsed)
    memory("nodejs_heap_total_bytes", "JavaScript heap that is held.", () => process.memoryUsage().heapTotal)
    memory(
      "nodejs_external_memory_bytes",
      "Memory of buffers outside of the heap.",
      () => process.memoryUsage().external
    )
    all.gauge(
      "process_start_time_seconds",
      "When the process began, since 1970.",
      {},
      () => performance.timeOrigin / 1000
    )
    all.counter("process_cpu_seconds_total", "Processor time, of the kernel too.", {}, () => {
      const { system, user } = process.cpuUsage()
      return (system + user) / 1e6
    })
    yield* eventLoop(all)
    yield* collections(all)
  })
)

type All = Effect.Success<typeof series>

const eventLoop = Effect.fnUntraced(function* (all: All) {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const delay = monitorEventLoopDelay({ resolution })
      delay.enable()
      return delay
    }),
    (delay) => Effect.sync(() => void delay.disable())
  )
  // The timer that measures is itself always as late as it is set to be.
  const late = (nanoseconds: number): number => Math.max(0, seconds(nanoseconds) - resolution / 1000)
  const name = "nodejs_eventloop_lag_seconds"
  const description = "How late the event loop has been since the start."
  for (const quantile of [50, 99]) {
    all.gauge(name, description, { quantile: String(quantile / 100) }, () => late(delay.percentile(quantile)))
  }
  let before = performance.eventLoopUtilization()
  all.gauge("nodejs_eventloop_utilization_ratio", "How busy the event loop was since it was last asked.", {}, () => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    return utilization
  })
})

const collections = Effect.fnUntraced(function* (all: All) {
  const runs = new Map<string, { count: number; seconds: number }>()
  for (const kind of Object.values(kinds)) {
    const held = { count: 0, seconds: 0 }
    runs.set(kind, held)
    all.counter("nodejs_gc_runs_total", "Collections of garbage.", { kind }, () => held.count)
    all.counter("nodejs_gc_seconds_total", "Time that collections of garbage took.", { kind }, () => held.seconds)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const held = runs.get(kindOf("detail" in entry ? entry.detail : undefined))
          if (held === undefined) continue
          held.count += 1
          held.seconds += entry.duration / 1000
        }
      })
      observer.observe({ entryTypes: ["gc"] })
      return observer
    }),
    (observer) => Effect.sync(() => observer.disconnect())
  )
})

const kindOf = (detail: unknown): string =>
  typeof detail === "object" && detail !== null && "kind" in detail ? (kinds[Number(detail.kind)] ?? "") : ""
