import type { Notice, ServiceStatus, StatusDocument, StatusRow } from "@portico/contract/Status"
import { type IncidentEntry, Incidents } from "@portico/store/Incidents"
import { DateTime, Duration, Effect } from "effect"
import { Components } from "../health/Components.ts"
import type { Plane } from "../health/readiness.ts"
import { isoOrNull } from "../isoOrNull.ts"
import { rowsOf, details, worst } from "./findings.ts"

/** The status waits no longer for the database, and reports it as down. */
const readTimeout = Duration.seconds(2)

/**
 * The platform's status (contract, Status document). It always answers,
 * whatever is down; on the customer plane it names none of the systems behind.
 */
export const showStatus = Effect.fn("status.show")(function* (plane: Plane) {
  const { incidents, maintenance, now, overall, rows } = yield* platform
  const isOperator = plane === "operator"
  const services: ReadonlyArray<StatusRow> = isOperator ? rows : rows.map(({ probe: _, ...row }) => row)
  return {
    generated_at: DateTime.formatIso(now),
    overall,
    services,
    incidents: incidents.map((_) => noticeOf(_, isOperator)),
    maintenance: maintenance.map((_) => noticeOf(_, isOperator))
  } satisfies StatusDocument
})

/** What the probes know of the platform, with the operators' notices. */
export const platform = Effect.gen(function* () {
  const now = yield* DateTime.now
  const components = yield* Components
  const notices = yield* readable((yield* Incidents).list(now))
  const standing = (notices ?? []).filter(
    (_) => _.kind === "incident" && DateTime.isLessThanOrEqualTo(_.starts_at, now)
  )
  const rows = rowsOf({
    components: components.all(),
    available: components.availability(),
    records: notices !== undefined
  }).map((_) => raised(_, standing))
  return {
    now,
    rows,
    overall: worst([
      ...rows.map((_) => _.status),
      ...standing.filter((_) => _.services.length === 0).map((_) => statusOf(_))
    ]),
    incidents: standing,
    maintenance: (notices ?? []).filter((_) => _.kind === "maintenance").toReversed()
  }
}).pipe(Effect.withSpan("status.platform"))

/** Undefined when the database does not answer in time, or with invalid rows. */
const readable = <A>(read: Effect.Effect<A>): Effect.Effect<A | undefined> =>
  Effect.catchCause(Effect.timeout(read, readTimeout), (cause) =>
    Effect.as(Effect.logError("the notices of the status cannot be read", cause), undefined)
  )

const statusOf = ({ severity }: IncidentEntry): ServiceStatus => (severity === "critical" ? "down" : "degraded")

/** An operator's incident counts where no probe sees the failure. */
const raised = (row: StatusRow, incidents: ReadonlyArray<IncidentEntry>): StatusRow => {
  const status = worst([
    row.status,
    ...incidents.filter((_) => _.services.includes(row.service)).map((_) => statusOf(_))
  ])
  return status === row.status ? row : { ...row, status, detail: details[status] }
}

export const noticeOf = (entry: IncidentEntry, isOperator: boolean): Notice => ({
  incident_id: entry.incident_id,
  kind: entry.kind,
  title: entry.title,
  services: entry.services,
  severity: entry.severity,
  starts_at: DateTime.formatIso(entry.starts_at),
  ends_at: isoOrNull(entry.ends_at),
  message: entry.message,
  created_at: DateTime.formatIso(entry.created_at),
  ...(isOperator ? { created_by: entry.created_by } : {})
})
