import { Schema } from "effect"
import { cursorWith, textOf } from "./cursorText.ts"

/** The position at which a page ended: the time by which the list is ordered, and the id that breaks ties. */
export interface Position {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly id: string
}

const written = /^(\d{1,15})\.([^\0]{1,200})$/u

/** The position that a cursor encodes; undefined for an invalid cursor. */
export const positionOf = (cursor: string): Position | undefined => {
  const [, at, id] = written.exec(textOf(cursor)) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}

/** The cursor at the end of a page. Clients pass it on unchanged. */
export const cursorOf = ({ at, id }: Position): string => cursorWith(`${at}.${id}`)

/**
 * The cursors of a log, as text that clients pass on unchanged: each is the
 * place after the record with a sequence.
 *
 * @param log part of every cursor, so that no log takes another one's
 */
export const logCursors = (log: string) => {
  const written = new RegExp(`^${log}:(0|[1-9]\\d{0,15})$`)
  const of = (sequence: number): string => cursorWith(`${log}:${sequence}`)
  /** Undefined for an invalid cursor. */
  const sequenceOf = (cursor: string): number | undefined => {
    const [, digits] = written.exec(textOf(cursor)) ?? []
    const sequence = Number(digits)
    // Base64url decoding ignores unknown characters, so a cursor is valid only if encoding it again gives the same text.
    return digits !== undefined && Number.isSafeInteger(sequence) && of(sequence) === cursor ? sequence : undefined
  }
  const Cursor = Schema.String.check(
    Schema.makeFilter((cursor: string) => sequenceOf(cursor) !== undefined, {
      expected: "the cursor of an earlier answer"
    })
  )
  return { of, sequenceOf, Cursor }
}

/** The cursors of a page of a log. */
export const logFields = {
  next_cursor: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The `cursor` of the next page. Null on the last page. An earlier page may have fewer rows than requested, or none."
  }),
  last_cursor: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The end of this page, whether or not there is more: a later request with this `cursor` and `order=asc` " +
      "returns the records after it. On an empty page the request's own cursor, or null when the request had " +
      "none."
  })
}

/** A request for one page. */
export interface PageRequest {
  /** The most rows. */
  readonly limit: number
  /** The position after which the page starts; undefined for the first page. */
  readonly after: Position | undefined
}

/** The bounds of `limit`, and its default. */
export const pageLimits = { least: 1, usual: 100, most: 1000 } as const

/** Query parameters of a paginated list. */
export const pageQuery = {
  limit: Schema.optionalKey(
    Schema.NumberFromString.check(
      Schema.isInt({ expected: "a whole number" }),
      Schema.isBetween({ minimum: pageLimits.least, maximum: pageLimits.most })
    )
  ).annotateKey({ description: "The most rows of the page." }),
  cursor: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((cursor: string) => positionOf(cursor) !== undefined, {
        expected: "the next_cursor of an earlier page"
      })
    )
  ).annotateKey({
    description: "The `next_cursor` of an earlier page: the page starts after it. Absent for the first page."
  })
}

export const pageRequestOf = (query: { readonly limit?: number; readonly cursor?: string }): PageRequest => ({
  limit: query.limit ?? pageLimits.usual,
  after: query.cursor === undefined ? undefined : positionOf(query.cursor)
})

/** The fields of a paginated response beside its rows. */
export const pageFields = {
  count: Schema.Int.annotateKey({
    description: "The number of all rows that the caller can see, on this page and on others."
  }),
  next_cursor: Schema.NullOr(Schema.String).annotateKey({
    description: "The `cursor` of the next page. Null on the last page."
  })
}

/** One page of a list, with its rows in a field of their own. */
export const pageList = <Rows extends Schema.Struct.Fields>(identifier: string, rows: Rows) =>
  Schema.Struct({ ...pageFields, ...rows }).annotate({ identifier })

/** A list without pages. */
export const wholeList = <Rows extends Schema.Struct.Fields>(identifier: string, rows: Rows) =>
  Schema.Struct({
    count: Schema.Int.annotateKey({ description: "The number of rows; the list is complete." }),
    ...rows
  }).annotate({ identifier })

/** Cuts a page from one row more than its limit: the extra row shows whether there is a next page. */
export const pageOf = <Row>(
  rows: ReadonlyArray<Row>,
  { limit }: PageRequest,
  position: (row: Row) => Position
): { readonly rows: ReadonlyArray<Row>; readonly next_cursor: string | null } => {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, next_cursor: rows.length > limit && last !== undefined ? cursorOf(position(last)) : null }
}
