import { areas } from "./areas.ts"
import type { Result } from "./Mutant.ts"

const columns = {
  "npm test": (_: Result) => _.outcome === "killed" && _.scope === "test",
  "test:all only": (_: Result) => _.outcome === "killed" && _.scope === "all",
  survived: (_: Result) => _.outcome === "survived",
  uncovered: (_: Result) => _.outcome === "uncovered",
  capped: (_: Result) => _.outcome === "capped",
  missing: (_: Result) => _.outcome === "missing"
}

/** How many mutants of each area are killed by which run. */
export const table = (results: ReadonlyArray<Result>): string => {
  const rows = [...Object.keys(areas), "all"].map((area) => {
    const those = results.filter((_) => area === "all" || _.area === area)
    return [area, those.length, ...Object.values(columns).map((is) => those.filter(is).length)]
  })
  return [["area", "mutants", ...Object.keys(columns)], ...rows]
    .map(([area, ...rest]) => String(area).padEnd(18) + rest.map((_) => String(_).padStart(15)).join(""))
    .join("\n")
}

const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

/** What a change changes, without the parts of long texts that stay. */
const changeOf = ({ mutated, original }: Result): string => {
  const [before, after] = [flat(original), flat(mutated)]
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const from = before.length > 90 ? Math.max(0, start - 25) : 0
  const cut = (text: string) => text.slice(from, before.length > 90 ? text.length - Math.max(0, end - 25) : undefined)
  return `${cut(before).slice(0, 200)}  ->  ${cut(after).slice(0, 200) || "(removed)"}`
}

export const line = (_: Result): string => {
  const by = _.by === undefined ? "" : `\n    ${_.by.how} by ${_.by.file} ${_.by.test}: ${_.by.error}`
  return `${_.outcome} (${_.scope}, ${_.covering} covering files, ${Math.round(_.ms / 1000)} s) ${_.area}: ${_.file} [${_.kind}]\n    ${_.line}\n    ${changeOf(_)}${by}`
}

/** The table, what became of mutants that were killed before, and every mutant that no test kills. */
export const report = (results: ReadonlyArray<Result>, before: ReadonlyArray<Partial<Result>>): string => {
  const was = before.flatMap((_, index) => {
    const now = results[index]
    return _.outcome === "killed" && now !== undefined ? [{ was: _, now }] : []
  })
  const still = was.filter(({ now }) => now.outcome === "killed")
  const inTest = still.filter(({ now }) => now.scope === "test")
  const lost = was.filter(({ now }) => now.outcome !== "killed")
  return [
    table(results),
    ...(was.length === 0
      ? []
      : [
          `\nOf ${was.length} that were killed before, npm test kills ${inTest.length} (${((100 * inTest.length) / was.length).toFixed(1)} %) and a run of everything ${still.length}. The others:`,
          ...lost.map(({ now }) => line(now))
        ]),
    "\nNot killed:",
    ...results.filter((_) => _.outcome !== "killed").map(line),
    ""
  ].join("\n")
}
