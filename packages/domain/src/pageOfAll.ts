import { type PageRequest, pageOf, type Position } from "@portico/contract/Page"

/**
 * A page of a list that is completely known, in the order of the positions. Its cursor is a position
 * in the order and not a row, so the row may be deleted before the next page is requested.
 */
export const pageOfAll = <Row>(all: ReadonlyArray<Row>, page: PageRequest, positionOf: (row: Row) => Position) => {
  const { after } = page
  const placed = all
    .map((row) => ({ row, position: positionOf(row) }))
    .toSorted((a, b) => order(a.position, b.position))
  const behind = after === undefined ? placed : placed.filter((_) => order(_.position, after) > 0)
  const { next_cursor, rows } = pageOf(behind.slice(0, page.limit + 1), page, (_) => _.position)
  return { count: all.length, next_cursor, rows: rows.map((_) => _.row) }
}

const order = (a: Position, b: Position): number => a.at - b.at || (a.id < b.id ? -1 : Number(a.id > b.id))
