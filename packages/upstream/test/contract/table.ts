import { type Difference, exceptionOf } from "./differences.ts"
import type { Ran } from "./Outcomes.ts"

/** How one case ended on both targets. */
export interface Row {
  readonly client: string
  readonly name: string
  readonly simulated: Ran
  readonly real: Ran
  readonly differences: ReadonlyArray<Difference>
}

/** Client and case, what each target came to, and whether that is the same. */
export const tableOf = (rows: ReadonlyArray<Row>): string =>
  [
    "| client | case | simulated | real | same |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map(
      (row) => `| ${[row.client, row.name, side(row.simulated), side(row.real), verdict(row)].join(" | ")} |`
    ),
    "",
    ...rows.flatMap((row) => row.differences.map((_) => line(row, _))),
    ""
  ].join("\n")

const side = ({ broken }: Ran): string => (broken === undefined ? "ran" : `broke off: ${broken}`)

const verdict = ({ client, differences, name, real, simulated }: Row): string => {
  if (simulated.broken !== undefined || real.broken !== undefined) return "NO"
  const open = differences.filter((_) => exceptionOf(client, name, _) === undefined).length
  if (open > 0) return `NO: ${open} differences`
  return differences.length === 0 ? "yes" : `yes, but for ${differences.length} known differences`
}

const line = ({ client, name }: Row, difference: Difference): string =>
  `- ${client}, ${name}, \`${difference.at}\`: simulated ${show(difference.simulated)}, real ${show(difference.real)}` +
  ` (${exceptionOf(client, name, difference)?.why ?? "UNEXPLAINED"})`

const show = (value: unknown): string =>
  value === undefined ? "nothing" : `\`${JSON.stringify(value).slice(0, 200)}\``
