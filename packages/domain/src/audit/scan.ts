import { Effect } from "effect"
import type { AuditRecord } from "@portico/contract/Audit"
import type { Entry } from "./entry.ts"
import { fits, isSelective, type Wanted } from "./filters.ts"

/** So many records are looked at for a page at most, however few of them are wanted. */
export const mostLookedAt = 5_000

/** So many are read together where not all of them are wanted: few enough to keep no other request waiting. */
const together = 250

/** Where a page begins, and what ends it. */
export interface Span {
  /** `asc` for the oldest first. */
  readonly order: "asc" | "desc"
  /** Of this project alone; undefined for everybody's, and what is nobody's. */
  readonly projectId: string | undefined
  /** Behind this sequence, in that order. */
  readonly start: number
  /** Before this sequence, in that order. */
  readonly stop: number
}

/**
 * Records in a span's order behind a sequence: so many, or fewer where there
 * are no more. Undefined, where a reader may say so, when that is not known here.
 */
export type Read<Unknown extends undefined = never> = (
  span: Span,
  after: number,
  size: number
) => Effect.Effect<ReadonlyArray<Entry> | Unknown>

export interface Found {
  readonly records: ReadonlyArray<AuditRecord>
  /** The last sequence that was looked at; undefined when there was none. */
  readonly last: number | undefined
  /** Whether there is something behind it. */
  readonly more: boolean
}

/**
 * A page of what fits. It depends on nothing but the span and on what is
 * there: whoever reads from elsewhere finds the same. Undefined as soon as
 * `read` says so.
 */
export const scan = Effect.fnUntraced(function* <Unknown extends undefined = never>(
  span: Span,
  wanted: Wanted,
  limit: number,
  read: Read<Unknown>
) {
  const records: Array<AuditRecord> = []
  const chunk = isSelective(wanted) ? together : limit
  let last: number | undefined
  let looked = 0
  for (;;) {
    // One more than may be looked at, because only then is it known whether there is more.
    const size = Math.min(chunk, mostLookedAt - looked) + 1
    const rows = yield* read(span, last ?? span.start, size)
    if (rows === undefined) return rows
    for (const entry of rows) {
      if (!isWithin(span, entry.sequence)) return { records, last, more: false } satisfies Found
      if (records.length === limit || looked === mostLookedAt) return { records, last, more: true } satisfies Found
      looked += 1
      last = entry.sequence
      if (fits(wanted, entry)) records.push(entry.record)
    }
    if (rows.length < size) return { records, last, more: false } satisfies Found
  }
})

/** Whether a sequence is before the span's end. */
export const isWithin = ({ order, stop }: Span, sequence: number): boolean =>
  order === "asc" ? sequence < stop : sequence > stop
