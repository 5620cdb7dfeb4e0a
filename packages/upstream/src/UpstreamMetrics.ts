import { Context, Effect, Layer } from "effect"
import { type Count, type Durations, type MetricsRegistry, metricsRegistry } from "./MetricsRegistry.ts"

/**
 * What came of a call: the class of the answer's status, an answer where there are no statuses, no answer, or nobody who
 * waited for one.
 */
export type Outcome = "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "answered" | "none" | "abandoned"

/** @param status undefined when there was no answer */
export const outcomeOf = (status: number | undefined): Outcome => {
  if (status === undefined) return "none"
  if (status < 200) return "1xx"
  if (status < 300) return "2xx"
  if (status < 400) return "3xx"
  return status < 500 ? "4xx" : "5xx"
}

/** The calls of one system. */
export class SystemCalls {
  readonly #system: string
  readonly #series: MetricsRegistry
  readonly #counts = new Map<Outcome, Count>()
  readonly #durations: Durations

  constructor(system: string, series: MetricsRegistry) {
    this.#system = system
    this.#series = series
    this.#durations = series.durations(
      "portico_upstream_call_duration_seconds",
      "How long calls of systems behind the gateway took, up to the end of the answer.",
      { system }
    )
  }

  over(outcome: Outcome, milliseconds: number): void {
    this.#durations.add(milliseconds / 1000)
    const count = this.#counts.get(outcome) ?? this.#first(outcome)
    count.value += 1
  }

  #first(outcome: Outcome): Count {
    const count = this.#series.count(
      "portico_upstream_calls_total",
      "Calls of systems behind the gateway, by what came of them; none is no answer.",
      { system: this.#system, outcome }
    )
    this.#counts.set(outcome, count)
    return count
  }
}

/** The service names of the proxy's paths, and those of the probes beside them, as the systems that they are. */
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

/** Counts calls of what stands behind the gateway. Without {@link layer} they are not counted. */
export const UpstreamMetrics = Context.Reference<{
  /** @param upstream a system, or a service of the platform as the proxy's paths name it */
  of(upstream: string): SystemCalls | undefined
}>("portico/upstream/UpstreamMetrics", { defaultValue: () => ({ of: () => undefined }) })

export const layer = Layer.effect(
  UpstreamMetrics,
  Effect.map(metricsRegistry, (series) => {
    const known = new Map<string, SystemCalls>()
    const of = (upstream: string): SystemCalls => {
      const held = known.get(upstream)
      if (held !== undefined) return held
      const system = systems[upstream] ?? upstream
      const calls = known.get(system) ?? new SystemCalls(system, series)
      known.set(system, calls)
      known.set(upstream, calls)
      return calls
    }
    return { of }
  })
)
