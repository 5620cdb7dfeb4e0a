import type { Checked, State } from "./Check.ts"

const marks: Readonly<Record<State, string>> = { ok: "ok", warning: "WARNING", failed: "FAILED", skipped: "-" }

/** A finding as a person reads it: a line with the cause, and one with the fix. */
export const textOf = ({ check, detail, fix, state }: Checked): string => {
  const line = `${marks[state].padEnd(8)}${check.padEnd(18)} ${detail}`
  return fix === null ? line : `${line}\n${" ".repeat(27)}-> ${fix}`
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** The last line: how many there were of what. */
export const summaryOf = (found: ReadonlyArray<Checked>): string => {
  const count = (state: State) => found.filter((_) => _.state === state).length
  return `${plural(count("failed"), "failure")}, ${plural(count("warning"), "warning")}, ${count("ok")} ok, ${count("skipped")} skipped`
}
