import type { AuditFilters } from "@portico/contract/Audit"
import { DateTime, Option } from "effect"
import type { Entry } from "./entry.ts"

/** Parsed filters, with timestamps in milliseconds since the epoch. */
export interface Wanted extends Omit<AuditFilters, "since" | "until" | "project_id"> {
  readonly since: number | undefined
  readonly until: number | undefined
}

export const wantedOf = ({ project_id: _, since, until, ...rest }: AuditFilters): Wanted => ({
  ...rest,
  since: momentOf(since),
  until: momentOf(until)
})

const momentOf = (text: string | undefined): number | undefined =>
  text === undefined
    ? undefined
    : Option.getOrUndefined(Option.map(DateTime.make(text.toUpperCase()), DateTime.toEpochMillis))

/** Whether any filter applies besides the position in the log. */
export const isSelective = (wanted: Wanted): boolean => Object.values(wanted).some((_) => _ !== undefined)

/** Whether a record matches all filters. */
export const fits = (wanted: Wanted, { at, record }: Entry): boolean =>
  (wanted.since === undefined || at >= wanted.since) &&
  (wanted.until === undefined || at < wanted.until) &&
  is(wanted.credential_id, record.credential_id) &&
  is(wanted.user_id, record.user_id) &&
  is(wanted.method, record.method) &&
  is(wanted.route, record.route) &&
  is(wanted.request_id, record.request_id) &&
  (wanted.status === undefined || hasStatus(wanted.status, record.status)) &&
  (wanted.resource === undefined || record.resources.includes(wanted.resource))

const is = (wanted: string | undefined, found: string | null): boolean => wanted === undefined || wanted === found

const hasStatus = (wanted: string, found: number | null): boolean =>
  found !== null && (wanted.endsWith("xx") ? wanted.startsWith(String(found)[0] ?? "-") : wanted === String(found))
