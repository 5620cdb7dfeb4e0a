import { Clock, Context, Effect, Layer } from "effect"
import { type Count, type Durations, type MetricsRegistry, metricsRegistry } from "./MetricsRegistry.ts"
import { type Recent, RecentCalls } from "./RecentCalls.ts"

/**
 * The outcome of a call: the class of the response's status, `answered` for a
 * protocol without statuses, `none` without a response, or `abandoned` when the
 * caller stopped waiting.
 */
export type Outcome = "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "answered" | "none" | "abandoned"

/** @param status undefined without a response */
export const outcomeOf = (status: number | undefined): Outcome => {
  if (status === undefined) return "none"
  if (status < 200) return "1xx"
  if (status < 300) return "2xx"
  if (status < 400) return "3xx"
  return status < 500 ? "4xx" : "5xx"
}

/** The metrics of one upstream's calls. */
export class SystemCalls {
  readonly #system: string
  readonly #registry: MetricsRegistry
  readonly #counts = new Map<Outcome, Count>()
  readonly #durations: Durations
  readonly #recent = new RecentCalls()
  readonly #clock: Clock.Clock

  constructor(system: string, series: MetricsRegistry, clock: Clock.Clock) {
    this.#system = system
    this.#registry = series
    this.#clock = clock
    this.#durations = series.durations(
      "portico_upstream_call_duration_seconds",
      "Duration of upstream calls, up to the end of the response.",
      { system }
    )
  }

  /**
   * @param call one of a few fixed names, and never an address, an id or any content
   * @param status undefined without a response, and for a protocol without statuses
   */
  over(outcome: Outcome, milliseconds: number, call: string, status?: number): void {
    this.#durations.add(milliseconds / 1000)
    const count = this.#counts.get(outcome) ?? this.#register(outcome)
    count.value += 1
    // How long a client stayed says nothing of the upstream.
    if (outcome === "abandoned" || outcome === "1xx") return
    const failure = outcome === "5xx" || outcome === "none" ? { call, status: status ?? null } : undefined
    this.#recent.add(this.#clock.currentTimeMillisUnsafe(), milliseconds / 1000, failure)
  }

  /** The calls of the last minutes, without those that their client ended, and without upgraded connections. */
  get recent(): Recent {
    return this.#recent.at(this.#clock.currentTimeMillisUnsafe())
  }

  #register(outcome: Outcome): Count {
    const count = this.#registry.count(
      "portico_upstream_calls_total",
      "Upstream calls, by outcome; none means no response.",
      { system: this.#system, outcome }
    )
    this.#counts.set(outcome, count)
    return count
  }
}

/** Maps the service names of the proxy's paths and of the probes to upstreams. */
const systems: Readonly<Record<string, string>> = {
  identity: "keystone",
  compute: "nova",
  network: "neutron",
  volume: "cinder",
  image: "glance",
  dns: "designate",
  "load-balancer": "octavia",
  "key-manager": "barbican",
  "object-storage": "rgw",
  "identity-provider": "zitadel"
}

/** The upstream behind a service of the platform, as the proxy's paths and the probes name that. */
export const systemOf = (service: string): string => systems[service] ?? service

/** Metrics of upstream calls. Without {@link layer} calls are not counted. */
export const UpstreamMetrics = Context.Reference<{
  /** @param upstream a system, or a service of the platform as the proxy's paths name it */
  of(upstream: string): SystemCalls | undefined
  /** The calls of the last minutes, by system; a system that was never called is absent. */
  recent(): ReadonlyMap<string, Recent>
}>("portico/upstream/UpstreamMetrics", { defaultValue: () => ({ of: () => undefined, recent: () => new Map() }) })

export const layer = Layer.effect(
  UpstreamMetrics,
  Effect.gen(function* () {
    const series = yield* metricsRegistry
    const clock = yield* Clock.Clock
    const bySystem = new Map<string, SystemCalls>()
    const known = new Map<string, SystemCalls>()
    const of = (upstream: string): SystemCalls => {
      const held = known.get(upstream)
      if (held !== undefined) return held
      const system = systemOf(upstream)
      const calls = bySystem.get(system) ?? new SystemCalls(system, series, clock)
      bySystem.set(system, calls)
      known.set(upstream, calls)
      return calls
    }
    return { of, recent: () => new Map([...bySystem].map(([system, calls]) => [system, calls.recent])) }
  })
)
