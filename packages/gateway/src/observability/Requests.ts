import { iaasServices } from "@portico/contract/IaasServices"
import type { Plane } from "@portico/domain/health/readiness"
import { type Count, type Durations, type MetricsRegistry, metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Effect } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { iaasPrefix, kubernetesPrefix } from "../requests/route.ts"
import { templatesOf } from "./templates.ts"

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"] as const
const statuses = ["1xx", "2xx", "3xx", "4xx", "5xx", "none"] as const

const methodIndex = (method: string | undefined): number => {
  for (let index = 0; index < methods.length - 1; index++) if (methods[index] === method) return index
  return methods.length - 1
}

/** A client that disconnected before the head was sent received no status. */
const statusIndex = (status: number, headSent: boolean): number =>
  headSent && status >= 100 && status < 600 ? Math.floor(status / 100) - 1 : statuses.length - 1

/** A plane, or the API calls of tools, which come from requests to the agent plane. */
type Origin = Plane | "tools"

/** The counts of one route of a plane. */
class RouteCounts {
  readonly #labels: { readonly plane: Origin; readonly route: string }
  readonly #registry: MetricsRegistry
  readonly #durations: Durations
  readonly #counts: Array<Count | undefined> = Array.from({ length: methods.length * statuses.length })

  constructor(plane: Origin, route: string, registry: MetricsRegistry) {
    this.#labels = { plane, route }
    this.#registry = registry
    this.#durations = registry.durations(
      "portico_http_request_duration_seconds",
      "Duration of HTTP requests, from the request head to the end of the answer.",
      this.#labels
    )
  }

  completed(method: string | undefined, status: number, headSent: boolean, milliseconds: number): void {
    this.#durations.add(milliseconds / 1000)
    const index = methodIndex(method) * statuses.length + statusIndex(status, headSent)
    const count = (this.#counts[index] ??= this.#newCount(index))
    count.value += 1
  }

  #newCount(index: number): Count {
    return this.#registry.count("portico_http_requests_total", "Completed HTTP requests.", {
      ...this.#labels,
      method: methods[Math.floor(index / statuses.length)] ?? "other",
      status: statuses[index % statuses.length] ?? "none"
    })
  }
}

/**
 * Counts the requests of a plane, proxied ones among them. For these it looks only at the service in the path, and
 * allocates nothing. The label `route` is a declared path, never the path of a request, so clients cannot create time
 * series.
 */
export class Requests {
  #inFlight = 0
  readonly #plane: Origin
  readonly #registry: MetricsRegistry
  readonly #templateOf: (path: string) => string
  readonly #services: ReadonlyArray<{ readonly prefix: string; readonly counts: RouteCounts }>
  readonly #byRoute = new Map<string, RouteCounts>()

  constructor(plane: Origin, templateOf: (path: string) => string | undefined, registry: MetricsRegistry) {
    this.#plane = plane
    this.#registry = registry
    this.#templateOf = (path) => templateOf(path) ?? "none"
    const proxied = [...iaasServices.map((_) => `${iaasPrefix}${_}/`), kubernetesPrefix]
    this.#services = proxied.map((prefix) => ({ prefix, counts: new RouteCounts(plane, `${prefix}*`, registry) }))
    registry.gauge("portico_http_requests_in_flight", "HTTP requests in progress.", { plane }, () => this.#inFlight)
  }

  began(): void {
    this.#inFlight += 1
  }

  /**
   * @param headSent whether the client was sent a status
   * @param milliseconds since {@link began}
   */
  completed(method: string | undefined, url: string, status: number, headSent: boolean, milliseconds: number): void {
    this.#inFlight -= 1
    this.#countsOf(url).completed(method, status, headSent, milliseconds)
  }

  #countsOf(url: string): RouteCounts {
    for (const { counts, prefix } of this.#services) if (url.startsWith(prefix)) return counts
    const mark = url.indexOf("?")
    const route = this.#templateOf(mark < 0 ? url : url.slice(0, mark))
    const known = this.#byRoute.get(route)
    if (known !== undefined) return known
    const counts = new RouteCounts(this.#plane, route, this.#registry)
    this.#byRoute.set(route, counts)
    return counts
  }
}

/** The request counts of a plane, in the registry of the context. */
export const requestsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  plane: Origin,
  api: HttpApi.HttpApi<Id, Groups>,
  templateOf: (path: string) => string | undefined = templatesOf(api)
) => Effect.map(metricsRegistry, (registry) => new Requests(plane, templateOf, registry))
