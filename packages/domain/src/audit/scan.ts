import type { AuditFilters, AuditRecord } from "@portico/contract/Audit"
import { agentTopic, auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { DateTime, Duration, Effect, Option } from "effect"
import { filteredChunk, findInLog } from "../events/findInLog.ts"
import { auditTopics, type Entry, entryIn } from "./entry.ts"
import { withoutTokens } from "./tokens.ts"

/** The range of the log that a page covers. */
export interface Span {
  /** `asc` for the oldest first. */
  readonly order: "asc" | "desc"
  /** The records of this project alone; undefined for all records, including those without a project. */
  readonly projectId: string | undefined
  /** Exclusive: the span begins after this sequence, in its order. */
  readonly start: number
  /** Exclusive: the span ends before this sequence, in its order. */
  readonly stop: number
}

/**
 * Reads records of a span after a sequence, in the span's order: `size` records, or fewer at the
 * end. A reader with partial data returns undefined when it cannot tell.
 */
export type Read<Unknown extends undefined = never> = (
  span: Span,
  after: number,
  size: number
) => Effect.Effect<ReadonlyArray<Entry> | Unknown>

/**
 * A page of the matching records, see {@link findInLog}. The result depends on the span and the
 * records alone, so every reader returns the same page.
 */
export const scan = <Unknown extends undefined = never>(
  span: Span,
  wanted: ParsedFilters,
  limit: number,
  read: Read<Unknown>
) =>
  findInLog({
    after: span.start,
    chunk: isSelective(wanted) ? filteredChunk : limit,
    limit,
    read: (after = span.start, size) => read(span, after, size),
    isWithin: (sequence) => isWithin(span, sequence),
    match: ({ at, record }) => Effect.succeed(record !== undefined && fits(wanted, at, record) ? record : undefined)
  })

/** Whether a sequence is before the span's end. */
export const isWithin = ({ order, stop }: Span, sequence: number): boolean =>
  order === "asc" ? sequence < stop : sequence > stop

/**
 * The longest delay between the end of a call and its record's entry into the log, used when the
 * filters name a time range. Only a longer outage of the database exceeds it. A record is never
 * stored before its call ends, so records outside the range by more than this delay can be skipped.
 */
const lateness = Duration.hours(1)

/**
 * The part of the log that holds the wanted records, as of now; later records come after it. Its
 * cost does not depend on the length of the log.
 *
 * @param after exclusive start, in the given order; undefined for the beginning
 */
export const spanOf = Effect.fnUntraced(function* (
  order: Span["order"],
  projectId: string | undefined,
  wanted: ParsedFilters,
  after: number | undefined
) {
  const log = yield* EventLog
  // The records of calls place the range for those of agents too: all enter the log in one order. What agent runtimes
  // report may be a month late and places nothing.
  const { above, below, ...calls } = yield* log.window(auditTopic, {
    from: moved(wanted.since, -Duration.toMillis(lateness)),
    to: moved(wanted.until, Duration.toMillis(lateness))
  })
  const newest = Math.max(calls.newest, yield* log.newest([agentTopic]))
  const end = Math.min(below ?? newest + 1, newest + 1)
  const span: Span =
    order === "asc"
      ? { order, projectId, start: Math.max(after ?? 0, above), stop: end }
      : { order, projectId, start: Math.min(after ?? end, end), stop: above }
  return { span, newest }
})

const moved = (at: number | undefined, by: number): DateTime.Utc | undefined =>
  at === undefined ? undefined : DateTime.makeUnsafe(at + by)

/** Reads from the log. */
export const durable: Effect.Effect<Read, never, EventLog> = Effect.map(
  EventLog,
  (log) =>
    ({ order, projectId }, after, size) =>
      Effect.map(log.read({ topics: auditTopics, projectId, order, after, limit: size }), (_) => _.map(entryIn))
)

/** Parsed filters, with timestamps in milliseconds since the epoch. */
export interface ParsedFilters extends Omit<AuditFilters, "since" | "until" | "project_id"> {
  readonly since: number | undefined
  readonly until: number | undefined
}

export const wantedOf = ({ project_id: _, since, until, ...rest }: AuditFilters): ParsedFilters => ({
  ...rest,
  since: momentOf(since),
  until: momentOf(until)
})

const momentOf = (text: string | undefined): number | undefined =>
  text === undefined
    ? undefined
    : Option.getOrUndefined(Option.map(DateTime.make(text.toUpperCase()), DateTime.toEpochMillis))

/** Whether any filter applies besides the position in the log. */
export const isSelective = (wanted: ParsedFilters): boolean => Object.values(wanted).some((_) => _ !== undefined)

/** Whether a record matches all filters. */
export const fits = (wanted: ParsedFilters, at: number, record: AuditRecord): boolean =>
  (wanted.since === undefined || at >= wanted.since) &&
  (wanted.until === undefined || at < wanted.until) &&
  is(wanted.credential_id, record.credential_id) &&
  is(wanted.user_id, record.user_id) &&
  is(wanted.actor, record.actor) &&
  is(wanted.method, record.method) &&
  is(wanted.route, record.route) &&
  is(wanted.request_id, record.request_id) &&
  (wanted.status === undefined || hasStatus(wanted.status, record.status)) &&
  (wanted.resource === undefined || names(record, wanted.resource))

/** A record has a random name as it was given, or cut off: see {@link withoutTokens}. */
const names = ({ resources }: AuditRecord, wanted: string): boolean =>
  resources.includes(wanted) || resources.includes(withoutTokens(wanted))

const is = (wanted: string | undefined, found: string | null): boolean => wanted === undefined || wanted === found

const hasStatus = (wanted: string, found: number | null): boolean =>
  found !== null && (wanted.endsWith("xx") ? wanted.startsWith(String(found)[0] ?? "-") : wanted === String(found))
