import type { Caller } from "@portico/contract/Access"
import {
  auditCursorOf,
  type AuditFilters,
  type AuditPage,
  type AuditRecord,
  auditSequenceOf,
  type AuditSource
} from "@portico/contract/Audit"
import { pageLimits } from "@portico/contract/Page"
import { Effect } from "effect"
import type { Found } from "../events/findInLog.ts"
import { settled } from "../events/Publisher.ts"
import { projectOf } from "../events/scope.ts"
import type { Plane } from "../health/readiness.ts"
import { AuditRing } from "./AuditRing.ts"
import { durable, scan, spanOf, wantedOf } from "./scan.ts"

/**
 * A page of the audit, newest or oldest first. Pages are in the log's order. The log only grows at
 * its end, so pages do not change.
 *
 * A call examines at most 5,000 records, so a page may have fewer records than the limit, or none,
 * and still have a `next_cursor`.
 */
export const readAudit = Effect.fn("audit.read")(function* (
  caller: Caller,
  plane: Plane,
  query: AuditFilters & { readonly order: "asc" | "desc"; readonly limit?: number; readonly cursor?: string }
) {
  const { cursor, limit = pageLimits.usual, order, ...filters } = query
  const projectId = yield* projectOf(caller, plane, filters.project_id)
  yield* settled
  const wanted = wantedOf(filters)
  const after = cursor === undefined ? undefined : auditSequenceOf(cursor)
  const { newest, span } = yield* spanOf(order, projectId, wanted, after)
  const ring = yield* AuditRing
  const near = (yield* ring.hasUpTo(newest)) ? yield* scan(span, wanted, limit, ring.read) : undefined
  if (near !== undefined) return pageOf("ring", near, cursor)
  return pageOf("durable", yield* scan(span, wanted, limit, yield* durable), cursor)
})

const pageOf = (
  source: AuditSource,
  { last, matching, more }: Found<AuditRecord>,
  cursor: string | undefined
): AuditPage => {
  const last_cursor = last === undefined ? (cursor ?? null) : auditCursorOf(last)
  return { source, records: matching, next_cursor: more ? last_cursor : null, last_cursor }
}
