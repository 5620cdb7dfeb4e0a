import { Effect } from "effect"
import type { AuditRecord } from "@portico/contract/Audit"
import type { Entry } from "./entry.ts"
import { fits, isSelective, type Wanted } from "./filters.ts"

/** The most records examined for one page, however few of them match. */
export const maxExamined = 5_000

/** The records read at once under a filter: few enough not to delay other requests. */
const filteredPageSize = 250

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

export interface Found {
  readonly records: ReadonlyArray<AuditRecord>
  /** The last sequence examined; undefined when there was none. */
  readonly last: number | undefined
  /** Whether more records follow. */
  readonly more: boolean
}

/**
 * A page of the matching records. The result depends on the span and the records alone, so every
 * reader returns the same page. Undefined as soon as `read` returns undefined.
 */
export const scan = Effect.fnUntraced(function* <Unknown extends undefined = never>(
  span: Span,
  wanted: Wanted,
  limit: number,
  read: Read<Unknown>
) {
  const records: Array<AuditRecord> = []
  const chunk = isSelective(wanted) ? filteredPageSize : limit
  let last: number | undefined
  let examined = 0
  for (;;) {
    // One more than may be examined, to learn whether more records follow.
    const size = Math.min(chunk, maxExamined - examined) + 1
    const rows = yield* read(span, last ?? span.start, size)
    if (rows === undefined) return rows
    for (const entry of rows) {
      if (!isWithin(span, entry.sequence)) return { records, last, more: false } satisfies Found
      if (records.length === limit || examined === maxExamined) return { records, last, more: true } satisfies Found
      examined += 1
      last = entry.sequence
      if (fits(wanted, entry)) records.push(entry.record)
    }
    if (rows.length < size) return { records, last, more: false } satisfies Found
  }
})

/** Whether a sequence is before the span's end. */
export const isWithin = ({ order, stop }: Span, sequence: number): boolean =>
  order === "asc" ? sequence < stop : sequence > stop
