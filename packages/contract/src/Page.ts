import { Schema } from "effect"

/** Where a page ended: the moment by which the list is ordered, and the id that decides between equal ones. */
export interface Position {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly id: string
}

const written = /^(\d{1,15})\.([^\0]{1,200})$/u

/** What a cursor stands for; undefined for what is none. */
export const positionOf = (cursor: string): Position | undefined => {
  const [, at, id] = written.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}

/** The cursor that a page ends with. Clients pass it on as it is. */
export const cursorOf = ({ at, id }: Position): string => Buffer.from(`${at}.${id}`, "utf8").toString("base64url")

/** Which page a caller wants. */
export interface PageRequest {
  /** How many rows at most. */
  readonly limit: number
  /** Behind which row it begins; at the first without. */
  readonly after: Position | undefined
}

/** How many rows a page has at most, where the caller does not say. */
export const pageLimits = { least: 1, usual: 100, most: 1000 } as const

/** Query parameters of a list that can grow: `limit` rows (1 to 1000, usually 100) behind a `cursor`. */
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
 * What the answer of such a list has beside its rows: `count` of all rows that
 * the caller can see, on this page or not, and where the next page begins; null
 * on the last one.
 */
export const pageFields = { count: Schema.Int, next_cursor: Schema.NullOr(Schema.String) }

/** The rows of a page out of one more than were asked for, which tells whether there is a next page. */
export const pageOf = <Row>(
  rows: ReadonlyArray<Row>,
  { limit }: PageRequest,
  position: (row: Row) => Position
): { readonly rows: ReadonlyArray<Row>; readonly next_cursor: string | null } => {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, next_cursor: rows.length > limit && last !== undefined ? cursorOf(position(last)) : null }
}
