import { type MetricsRegistry, metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Effect, Layer } from "effect"
import { constants, PerformanceObserver, performance } from "node:perf_hooks"
import { eventLoop } from "./eventLoop.ts"
import { lostLines } from "./outputs.ts"

const kinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb"
}

/** Metrics of the process: memory, processor time, event loop, garbage collection and its log. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const all = yield* metricsRegistry
    const memory = (name: string, description: string, read: () => number) => all.gauge(name, description, {}, read)
    memory("process_resident_memory_bytes", "Resident memory of the process.", () => process.memoryUsage.rss())
    memory("nodejs_heap_used_bytes", "JavaScript heap in use.", () => process.memoryUsage().heapUsed)
    memory("nodejs_heap_total_bytes", "Total size of the JavaScript heap.", () => process.memoryUsage().heapTotal)
    memory("nodejs_external_memory_bytes", "Memory of buffers outside the heap.", () => process.memoryUsage().external)
    all.gauge(
      "process_start_time_seconds",
      "Start time of the process, as Unix time.",
      {},
      () => performance.timeOrigin / 1000
    )
    all.counter("process_cpu_seconds_total", "User and system processor time.", {}, () => {
      const { system, user } = process.cpuUsage()
      return (system + user) / 1e6
    })
    all.counter(
      "portico_log_lines_lost_total",
      "Log lines that could not be written to standard error.",
      {},
      () => lostLines.count
    )
    yield* eventLoop(all)
    yield* collections(all)
  })
)

const collections = Effect.fnUntraced(function* (all: MetricsRegistry) {
  const runs = new Map<string, { count: number; seconds: number }>()
  for (const kind of Object.values(kinds)) {
    const totals = { count: 0, seconds: 0 }
    runs.set(kind, totals)
    all.counter("nodejs_gc_runs_total", "Garbage collections.", { kind }, () => totals.count)
    all.counter("nodejs_gc_seconds_total", "Time spent in garbage collection.", { kind }, () => totals.seconds)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const totals = runs.get(kindOf("detail" in entry ? entry.detail : undefined))
          if (totals === undefined) continue
          totals.count += 1
          totals.seconds += entry.duration / 1000
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
