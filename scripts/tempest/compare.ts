import { rules } from "./rules.ts"
import { simulated } from "./simulated.ts"
import type { Target } from "./Target.ts"
import type { Result } from "./tempest.ts"

/** How a run differs from what is written down. */
export interface Difference {
  /** Tests that fail without a reason that is known. */
  readonly lost: ReadonlyArray<string>
  /** Tests that pass although a reason says that they cannot. */
  readonly gained: ReadonlyArray<string>
}

/** Why a test that passes directly cannot pass there. */
const reasons: Readonly<Record<Target, ReadonlyArray<{ readonly tests: ReadonlySet<string> }>>> = {
  direct: [],
  gateway: rules,
  simulated: [...rules, ...simulated]
}

/** @param ran tests that pass directly */
export const compare = (target: Target, ran: ReadonlyArray<string>, passed: ReadonlySet<string>): Difference => {
  const hasReason = (test: string) => reasons[target].some(({ tests }) => tests.has(test))
  return {
    lost: ran.filter((_) => !passed.has(_) && !hasReason(_)),
    gained: ran.filter((_) => passed.has(_) && hasReason(_))
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
    `${lost.length} fail, and meet no rule`,
    ...[...byWords].flatMap(([words, tests]) => [`  ${words}`, ...tests.map((_) => `      ${_}`)]),
    `${gained.length} pass, although a rule says that they cannot`,
    ...gained.map((_) => `      ${_}`)
  ].join("\n")
}
