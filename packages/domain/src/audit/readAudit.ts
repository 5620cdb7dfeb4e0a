import type { Caller } from "@portico/contract/Access"
import {
  type AuditFilters,
  type AuditPage,
  type AuditSource,
  auditCursorOf,
  auditSequenceOf
} from "@portico/contract/Audit"
import { Conflict, NotFound } from "@portico/contract/Failures"
import { pageLimits } from "@portico/contract/Page"
import { Effect } from "effect"
import { Publisher } from "../events/Publisher.ts"
import type { Plane } from "../health/readiness.ts"
import { AuditRing } from "./AuditRing.ts"
import { wantedOf } from "./filters.ts"
import { type Found, scan } from "./scan.ts"
import { durable, spanOf } from "./span.ts"

/**
 * Whose records a caller reads: a tenant's its own, whichever plane it is on;
 * a platform administrator's, on the operator plane, are all there are, those
 * of calls of nobody known too, or those of the project that is named. It need
 * not exist any longer.
 *
 * Errors: 404 for a tenant that names another project; 409 for an administrator on the customer plane.
 */
export const projectOf = Effect.fnUntraced(function* (caller: Caller, plane: Plane, named: string | undefined) {
  if (caller.tenant !== null) {
    const { projectId } = caller.tenant
    return named === undefined || named === projectId ? projectId : yield* NotFound.tenant(named)
  }
  return caller.admin && plane === "operator" ? named : yield* Conflict.tenantRequired()
})

/** What this process has completed before is in the log then, unless the database is away. */
export const settled = Effect.flatMap(Publisher, (_) => _.settled)

/**
 * A page of the audit, newest first or oldest first. The order is that of the
 * log, in which nothing ever comes before what was read: pages do not change.
 *
 * It looks at 5,000 records at most, so that a page may have fewer than were
 * asked for, or none, and a `next_cursor` all the same.
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

const pageOf = (source: AuditSource, { last, more, records }: Found, cursor: string | undefined): AuditPage => {
  const last_cursor = last === undefined ? (cursor ?? null) : auditCursorOf(last)
  return { source, records, next_cursor: more ? last_cursor : null, last_cursor }
}
