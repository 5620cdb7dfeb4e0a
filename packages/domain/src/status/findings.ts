import type { ServiceStatus, StatusRow, StatusService } from "@portico/contract/Status"
import type { Availability } from "@portico/upstream/Probes"
import type { Component } from "../health/Components.ts"
import type { State } from "../health/judgement.ts"

/** What is known of the platform at one moment. */
export interface Findings {
  /** By component. */
  readonly components: Readonly<Record<string, Component>>
  /**
   * The fraction of a service that works, from 0 to 1, where it is measured.
   * Undefined when the monitoring cannot be read.
   */
  readonly available: Availability
  /** Whether this gateway can read and write its own records. */
  readonly records: boolean
}

/** The components that each service depends on. A service of which this cloud has no component has no row. */
const parts: Readonly<Record<Exclude<StatusService, "events">, ReadonlyArray<string>>> = {
  compute: ["compute"],
  storage: ["volume", "image"],
  network: ["network", "load-balancer"],
  portal: ["identity-provider"],
  api: ["identity"],
  billing: ["billing"],
  "object-storage": ["object-storage"],
  databases: ["kubernetes"]
}

const order: ReadonlyArray<StatusService> = [
  "compute",
  "storage",
  "network",
  "portal",
  "api",
  "billing",
  "events",
  "object-storage",
  "databases"
]

const rank: Readonly<Record<ServiceStatus, number>> = { ok: 0, degraded: 1, down: 2 }

export const worst = (all: ReadonlyArray<ServiceStatus>): ServiceStatus =>
  all.reduce((a, b) => (rank[b] > rank[a] ? b : a), "ok")

/** Texts for customers: they disclose nothing about the systems behind a service. */
export const details: Readonly<Record<ServiceStatus, string>> = {
  ok: "Operating normally.",
  degraded: "Partly impaired.",
  down: "Not available at the moment."
}

/** One row per service, in the contract's order. */
export const rowsOf = (findings: Findings): ReadonlyArray<StatusRow> =>
  order.flatMap((service) => (service === "events" ? [eventsRow(findings)] : (rowOf(service, findings) ?? [])))

const row = (service: StatusService, status: ServiceStatus, probe: string, detail = details[status]): StatusRow => ({
  service,
  status,
  detail,
  probe
})

const eventsRow = ({ records }: Findings): StatusRow =>
  records
    ? row("events", "ok", "the database answers")
    : row("events", "down", "the database does not answer, or not in time")

const rowOf = (service: Exclude<StatusService, "events">, findings: Findings): StatusRow | undefined => {
  const present = parts[service].flatMap((name) => {
    const component = findings.components[name]
    return component === undefined || component.state === "not configured" ? [] : [{ name, ...component }]
  })
  if (present.length === 0) return undefined
  const { available } = findings
  const ratio = available?.get(service)
  const status = worst([
    ofParts(
      service,
      present.map((_) => _.state)
    ),
    ofRatio(ratio)
  ])
  const probe = [
    ...present.map((_) => `${_.name} ${_.state}${_.message === null ? "" : ` (${_.message})`}`),
    ...(typeof ratio === "number" ? [`${Number((100 * ratio).toFixed(1))} percent of it works`] : [])
  ].join(", ")
  // Customers notice the missing monitoring: metrics and alarms are routes of the API.
  return service === "api" && available === undefined
    ? row(service, worst([status, "degraded"]), `${probe}, the monitoring cannot be read`, unmeasuredDetail(status))
    : row(service, status, probe)
}

const unmeasuredDetail = (status: ServiceStatus): string =>
  status === "ok" ? "Partly impaired: measurements cannot be read at the moment." : details[status]

/** The API is degraded at most: without its identity service it still answers and says so. */
const ofParts = (service: StatusService, states: ReadonlyArray<State>): ServiceStatus => {
  if (states.every((_) => _ === "ok")) return "ok"
  return service !== "api" && states.every(isOut) ? "down" : "degraded"
}

/** A component that refuses the gateway's credentials is of no more use to a customer than one that does not answer. */
const isOut = (state: State): boolean => state === "down" || state === "unauthorized"

const ofRatio = (ratio: number | null | undefined): ServiceStatus => {
  if (ratio === undefined || ratio === null || ratio >= 1) return "ok"
  return ratio > 0 ? "degraded" : "down"
}
