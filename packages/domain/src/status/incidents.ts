import type { Caller } from "@portico/contract/Access"
import { NotFound, Unprocessable } from "@portico/contract/Failures"
import type { IncidentCreate, NoticeKind } from "@portico/contract/Status"
import { Incidents } from "@portico/store/Incidents"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { noticeOf } from "./show.ts"

const usualTitle: Readonly<Record<NoticeKind, string>> = { incident: "Incident", maintenance: "Maintenance" }

/**
 * Publishes an incident or maintenance, from the next status on.
 *
 * Errors: 422 for one that ends before it begins.
 */
export const createIncident = Effect.fn("status.createIncident")(function* (
  caller: Caller,
  request: IncidentCreate = {}
) {
  const kind = request.kind ?? "incident"
  const starts_at = request.starts_at === undefined ? yield* DateTime.now : DateTime.makeUnsafe(request.starts_at)
  const ends_at = request.ends_at === undefined ? null : DateTime.makeUnsafe(request.ends_at)
  if (ends_at !== null && !DateTime.isGreaterThan(ends_at, starts_at)) return yield* Unprocessable.incidentSpan()
  const entry = yield* (yield* Incidents).insert({
    incident_id: `inc-${randomUUID().replaceAll("-", "").slice(0, 12)}`,
    kind,
    title: request.title ?? usualTitle[kind],
    services: request.services ?? [],
    severity: request.severity ?? "minor",
    message: request.message ?? "",
    starts_at,
    ends_at,
    created_by: caller.userId
  })
  return noticeOf(entry, true)
})

/** Errors: 404 for an unknown notice and one that is removed already. */
export const removeIncident = Effect.fn("status.removeIncident")(function* (incidentId: string) {
  const entry = yield* (yield* Incidents).remove(incidentId)
  return noticeOf(entry ?? (yield* NotFound.incident(incidentId)), true)
})
