import { Schema } from "effect"

/** The position at which a page ended: the time by which the list is ordered, and the id that breaks ties. */
export interface Position {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly id: string
}

const written = /^(\d{1,15})\.([^\0]{1,200})$/u

/** The position that a cursor encodes; undefined for an invalid cursor. */
export const positionOf = (cursor: string): Position | undefined => {
  const [, at, id] = written.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}

/** The cursor at the end of a page. Clients pass it on unchanged. */
export const cursorOf = ({ at, id }: Position): string => Buffer.from(`${at}.${id}`, "utf8").toString("base64url")

/** A request for one page. */
export interface PageRequest {
  /** The most rows. */
  readonly limit: number
  /** The position after which the page starts; undefined for the first page. */
  readonly after: Position | undefined
}

/** The bounds of `limit`, and its default. */
export const pageLimits = { least: 1, usual: 100, most: 1000 } as const

/** Query parameters of a paginated list: `limit` rows (1 to 1000, usually 100) after a `cursor`. */
export const pageQuery = {
  limit: Schema.optionalKey(
    Schema.NumberFromString.check(
      Schema.isInt({ expected: "a whole number" }),
      Schema.isBetween({ minimum: pageLimits.least, maximum: pageLimits.most })
    )
  ),
  cursor: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((cursor: string) => positionOf(cursor) !== undefined, {
        expected: "the next_cursor of an earlier page"
      })
    )
  )
}

export const pageRequestOf = (query: { readonly limit?: number; readonly cursor?: string }): PageRequest => ({
  limit: query.limit ?? pageLimits.usual,
  after: query.cursor === undefined ? undefined : positionOf(query.cursor)
})

/**
 * The fields of a paginated response beside its rows: `count` of all rows that
 * the caller can see, on this page or not, and the cursor of the next page;
 * null on the last one.
 */
export const pageFields = { count: Schema.Int, next_cursor: Schema.NullOr(Schema.String) }

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
