import { ArrowDown, ArrowUp } from "lucide-react"
import { type ReactNode } from "react"
import { useWords } from "../words/words.ts"
import { Button } from "./Button.tsx"
import styles from "./Table.module.css"
import { type Sort, useSort } from "./useSort.ts"
import { words } from "./words.ts"

export interface Column<Row> {
  /** Empty above the actions of each row, where only those who hear the table are told what stands there. */
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Of a list that is here as a whole: rows are ordered by it. */
  readonly sort?: (row: Row) => string | number
  /** Of a list that comes in pages: what its server calls this column when it orders the rows. */
  readonly serverSort?: string
  /** Numbers stand at the end of their column. */
  readonly end?: boolean
}

interface TableProps<Row> {
  /** What the rows are, for those who hear it. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** Instead of rows when there are none. */
  readonly empty: ReactNode
  /** The number of all rows, where the server says it. */
  readonly count?: number | undefined
  readonly hasMore?: boolean
  readonly more?: () => void
  readonly loadingMore?: boolean
}

const compare = (one: string | number, other: string | number): number =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : String(one).localeCompare(String(other), undefined, { numeric: true })

const sorted = <Row,>(
  rows: ReadonlyArray<Row>,
  by: ((row: Row) => string | number) | undefined,
  descending: boolean
) => {
  if (by === undefined) return rows
  const ordered = rows.toSorted((one, other) => compare(by(one), by(other)))
  return descending ? ordered.toReversed() : ordered
}

/** What the server of a list can order it by. */
export const serverSorts = <Row,>(columns: ReadonlyArray<Column<Row>>): ReadonlyArray<string> =>
  columns.flatMap(({ serverSort }) => serverSort ?? [])

/** Rows of a resource. On narrow screens each row is a card. */
export const Table = <Row,>(props: TableProps<Row>) => {
  const { columns, count, empty, hasMore = false, keyOf, label, loadingMore = false, more, rows } = props
  const t = useWords(words)
  const sort = useSort()
  if (rows.length === 0 && !hasMore) return <>{empty}</>
  const by = columns.find((_) => _.title === sort.by)?.sort
  return (
    <div className={styles["wrap"]}>
      <div className={styles["scroll"]}>
        <table className={styles["table"]} aria-label={label}>
          <thead>
            <tr data-label={t.sort}>
              {columns.map((column) => (
                <Heading key={column.title} column={column} sort={sort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted(rows, by, sort.descending).map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ cell, end, title }) => (
                  <td key={title} data-label={title} className={end === true ? styles["end"] : undefined}>
                    <div>{cell(row)}</div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={styles["foot"]}>
        <span>
          {count === undefined || count <= rows.length ? t.rows(rows.length) : t.of(String(rows.length), String(count))}
        </span>
        {hasMore ? (
          <Button onClick={more} busy={loadingMore}>
            {t.more}
          </Button>
        ) : null}
      </div>
    </div>
  )
}

const Heading = <Row,>({ column, sort }: { readonly column: Column<Row>; readonly sort: Sort }) => {
  const t = useWords(words)
  const { end, title } = column
  const id = column.serverSort ?? (column.sort === undefined ? undefined : title)
  const isSorted = sort.by === id
  const Arrow = sort.descending ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      className={end === true ? styles["end"] : undefined}
      aria-sort={isSorted ? (sort.descending ? "descending" : "ascending") : undefined}
    >
      {title === "" ? (
        <span className="visually-hidden">{t.actions}</span>
      ) : id === undefined ? (
        title
      ) : (
        <button type="button" className={styles["sort"]} onClick={() => sort.sortBy(id)} title={t.sortBy(title)}>
          {title}
          {isSorted ? <Arrow aria-hidden /> : null}
        </button>
      )}
    </th>
  )
}
