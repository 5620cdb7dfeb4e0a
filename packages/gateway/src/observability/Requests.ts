import { iaasServices } from "@portico/contract/IaasServices"
import type { Plane } from "@portico/domain/health/readiness"
import { type Count, type Durations, type MetricsRegistry, metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Effect } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { iaasPrefix, kubernetesPrefix } from "../requests/Place.ts"
import { templatesOf } from "./templates.ts"

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"] as const
const statuses = ["1xx", "2xx", "3xx", "4xx", "5xx", "none"] as const

const methodPlace = (method: string | undefined): number => {
  for (let place = 0; place < methods.length - 1; place++) if (methods[place] === method) return place
  return methods.length - 1
}

/** A client that went before there was a status got none. */
const statusPlace = (status: number, told: boolean): number =>
  told && status >= 100 && status < 600 ? Math.floor(status / 100) - 1 : statuses.length - 1

/** What is counted of one route of a plane. */
class RouteCounts {
  readonly #labels: { readonly plane: Plane; readonly route: string }
  readonly #series: MetricsRegistry
  readonly #durations: Durations
  readonly #counts: Array<Count | undefined> = Array.from({ length: methods.length * statuses.length })

  constructor(plane: Plane, route: string, series: MetricsRegistry) {
    this.#labels = { plane, route }
    this.#series = series
    this.#durations = series.durations(
      "portico_http_request_duration_seconds",
      "How long requests took, from their head to the end of the answer.",
      this.#labels
    )
  }

  over(method: string | undefined, status: number, told: boolean, milliseconds: number): void {
    this.#durations.add(milliseconds / 1000)
    const place = methodPlace(method) * statuses.length + statusPlace(status, told)
    const count = (this.#counts[place] ??= this.#first(place))
    count.value += 1
  }

  #first(place: number): Count {
    return this.#series.count("portico_http_requests_total", "Requests that are over.", {
      ...this.#labels,
      method: methods[Math.floor(place / statuses.length)] ?? "other",
      status: statuses[place % statuses.length] ?? "none"
    })
  }
}

/**
 * Counts the requests of a plane, proxied ones among them: nothing is looked
 * up for these but the service in the path, and nothing is allocated. A route
 * is what an endpoint declares, never a path, so that what clients send makes
 * no series.
 */
export class Requests {
  #inFlight = 0
  readonly #plane: Plane
  readonly #series: MetricsRegistry
  readonly #templateOf: (path: string) => string
  readonly #services: ReadonlyArray<{ readonly prefix: string; readonly counts: RouteCounts }>
  readonly #byRoute = new Map<string, RouteCounts>()

  constructor(plane: Plane, templateOf: (path: string) => string | undefined, series: MetricsRegistry) {
    this.#plane = plane
    this.#series = series
    this.#templateOf = (path) => templateOf(path) ?? "none"
    const proxied = [...iaasServices.map((_) => `${iaasPrefix}${_}/`), kubernetesPrefix]
    this.#services = proxied.map((prefix) => ({ prefix, counts: new RouteCounts(plane, `${prefix}*`, series) }))
    series.gauge("portico_http_requests_in_flight", "Requests that are not over yet.", { plane }, () => this.#inFlight)
  }

  began(): void {
    this.#inFlight += 1
  }

  /**
   * @param told whether the client was sent a status
   * @param milliseconds since {@link began}
   */
  over(method: string | undefined, url: string, status: number, told: boolean, milliseconds: number): void {
    this.#inFlight -= 1
    this.#countsOf(url).over(method, status, told, milliseconds)
  }

  #countsOf(url: string): RouteCounts {
    for (const { counts, prefix } of this.#services) if (url.startsWith(prefix)) return counts
    const mark = url.indexOf("?")
    const route = this.#templateOf(mark < 0 ? url : url.slice(0, mark))
    const known = this.#byRoute.get(route)
    if (known !== undefined) return known
    const counts = new RouteCounts(this.#plane, route, this.#series)
    this.#byRoute.set(route, counts)
    return counts
  }
}

/** The counts of a plane's requests, in the registry of the context. */
export const requestsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  plane: Plane,
  api: HttpApi.HttpApi<Id, Groups>
) => Effect.map(metricsRegistry, (series) => new Requests(plane, templatesOf(api), series))
