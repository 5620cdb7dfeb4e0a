import { rules } from "./rules.ts"
import type { Target } from "./Target.ts"
import type { Result } from "./tempest.ts"

/** How a run differs from what is written down. */
export interface Difference {
  /** Tests that fail without a reason that is known. */
  readonly lost: ReadonlyArray<string>
  /** Tests that pass although a reason says that they cannot. */
  readonly gained: ReadonlyArray<string>
}

/** Whether a reason names the test: by its whole name, its class, or its module. */
const isNamed = (names: ReadonlyArray<string>, test: string): boolean =>
  names.some((name) => test === name || test.startsWith(`${name}.`))

/** The reasons for which a test cannot pass there. */
const reasonsOf = (target: Target): ReadonlyArray<{ readonly tests: ReadonlyArray<string> }> =>
  target === "direct" ? [] : rules

export const compare = (
  target: Target,
  ran: ReadonlyArray<string>,
  passed: ReadonlySet<string>,
  known: ReadonlySet<string>
): Difference => {
  const reasons = reasonsOf(target)
  const hasReason = (test: string) => reasons.some(({ tests }) => isNamed(tests, test))
  return {
    lost: ran.filter((_) => known.has(_) && !passed.has(_) && !hasReason(_)),
    gained: ran.filter((_) => passed.has(_) && (hasReason(_) || !known.has(_)))
  }
}

/** The last lines of what a test said; of a class whose preparation failed, what that said. */
const lastWords = (test: string, results: ReadonlyArray<Result>): string => {
  const ofClass = test.slice(0, test.lastIndexOf("."))
  const result =
    results.find((_) => _.test === test) ??
    results.find((_) => _.test === `setUpClass (${ofClass})` || _.test === `tearDownClass (${ofClass})`)
  const lines = result?.said.split("\n").filter((_) => _.trim() !== "") ?? ["it has no result"]
  return lines.slice(-3).join(" | ").slice(-400)
}

/** The difference in lines, those with the same last words together. */
export const shown = ({ gained, lost }: Difference, results: ReadonlyArray<Result>): string => {
  const byWords = Map.groupBy(lost, (test) => lastWords(test, results).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>"))
  return [
    `${lost.length} lost`,
    ...[...byWords].flatMap(([words, tests]) => [`  ${words}`, ...tests.map((_) => `      ${_}`)]),
    `${gained.length} gained`,
    ...gained.map((_) => `      ${_}`)
  ].join("\n")
}
