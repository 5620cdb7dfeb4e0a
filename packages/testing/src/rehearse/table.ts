import { styleText } from "node:util"
import { isBad, isClean, type Leaving, leavings, leftInWords, type Report, type Row } from "./Report.ts"

/** Rows of one call that end alike, as one. */
interface Group {
  readonly rows: ReadonlyArray<Row>
  /** How many cases the call has. */
  readonly of: number
}

const headings = ["STEP", "CALL", "FAULT", "OUTCOME", "LEFT", "TIME"]

/** The report for a terminal or a log: a table, what is left with the step that makes it, and a summary. */
export const tableOf = (report: Report, options: { readonly all: boolean }): string => {
  const groups = options.all ? report.rows.map((row) => ({ rows: [row], of: 1 })) : grouped(report.rows)
  const lines = groups.map((_) => cellsOf(_))
  const widths = headings.map((heading, at) => Math.max(heading.length, ...lines.map((_) => _[at]?.length ?? 0)))
  const padded = (cells: ReadonlyArray<string>) => cells.map((_, at) => _.padEnd(widths[at] ?? 0))
  const rows = groups.map(({ rows: [row] }, index) => {
    const cells = padded(lines[index] ?? [])
    const color = row !== undefined && isBad(row) ? "red" : "green"
    return cells
      .map((_, at) => (headings[at] === "OUTCOME" ? styleText(color, _) : _))
      .join("  ")
      .trimEnd()
  })
  return [
    styleText("bold", padded(headings).join("  ").trimEnd()),
    ...rows,
    "",
    ...wrong(report),
    ...leavings(report).flatMap(leavingLines),
    summary(report)
  ].join("\n")
}

const grouped = (rows: ReadonlyArray<Row>): ReadonlyArray<Group> => {
  const byCall = Map.groupBy(rows, ({ call, step }) => `${step} ${call}`)
  return [...byCall.values()].flatMap((ofCall) =>
    [...Map.groupBy(ofCall, (_) => `${_.outcome} ${_.words} ${leftOf(_)}`).values()].map((rows) => ({
      rows,
      of: ofCall.length
    }))
  )
}

const cellsOf = ({ of, rows }: Group): ReadonlyArray<string> => {
  const [row] = rows
  return row === undefined ? [] : [row.step, row.call, faultsOf(rows, of), row.outcome, leftOf(row), timeOf(rows)]
}

const faultsOf = (rows: ReadonlyArray<Row>, of: number): string => {
  const [row] = rows
  if (row === undefined || (rows.length === of && of > 1)) return `all ${of}`
  if (rows.length === 1) return row.fault
  return isBad(row) ? `${row.fault}, and ${rows.length - 1} more of ${of}` : `${rows.length} of ${of}`
}

const leftOf = ({ left }: Row): string => {
  const [first] = left
  if (first === undefined) return "-"
  const name = leftInWords(first)
  const short = name.length > 60 ? `${name.slice(0, 59)}…` : name
  return left.length === 1 ? short : `${short} and ${left.length - 1} more`
}

/** The time of the simulated cloud, in which a time-out of ten seconds takes ten. */
const timeOf = (rows: ReadonlyArray<Row>): string => {
  const times = rows.map((_) => _.ms)
  const [least, most] = [Math.min(...times), Math.max(...times)]
  return least === most ? `${least} ms` : `${least} to ${most} ms`
}

/** Wrong outcomes in words, each once. */
const wrong = ({ rows }: Report): ReadonlyArray<string> => {
  const bad = rows.filter((_) => _.outcome === "wrong outcome")
  return [...Map.groupBy(bad, ({ call, step, words }) => `${step}, ${call}: ${words}`)].map(
    ([words, rows]) =>
      `${styleText("red", "Wrong outcome")} in ${cases(rows.length)}, such as ${rows[0]?.fault} of ${words}\n`
  )
}

const leavingLines = ({ call, cases: count, resources, step }: Leaving): ReadonlyArray<string> => [
  `${styleText("red", "Left behind")} in ${cases(count)}:`,
  ...resources.slice(0, shown).map((_) => `  ${_}`),
  ...(resources.length > shown ? [`  and ${resources.length - shown} more`] : []),
  ...(step === null ? [] : [`The step "${step}" makes this with ${call}. Does its undo find and remove it?`]),
  ""
]

/** How many names of resources say enough. */
const shown = 5

const cases = (count: number): string => `${count} ${count === 1 ? "case" : "cases"}`

const summary = (report: Report): string => {
  const { calls, cases: count, duration_ms, failures } = report
  const verdict = isClean(report)
    ? styleText("green", "no failure")
    : styleText("red", `${failures} ${failures === 1 ? "failure" : "failures"}`)
  return `${calls} calls, ${cases(count)}, ${verdict}, ${(duration_ms / 1000).toFixed(1)} s`
}
