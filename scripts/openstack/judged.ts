import { Console, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { differenceOf, isEmpty, shown } from "../difference.ts"
import { gaps } from "./gaps.ts"
import { record } from "./passing.ts"
import type { Result } from "./Result.ts"
import { rules } from "./rules.ts"
import type { Target } from "./Target.ts"

/** A run of a suite that is over. */
interface Run {
  readonly target: Target
  /** Where the results are kept. */
  readonly folder: string
  /** Where to write down what passes; undefined where nothing is written. */
  readonly recordIn: string | undefined
  /** The tests that were to run: away from the target `direct`, those that pass there. */
  readonly ran: ReadonlyArray<string>
  readonly results: ReadonlyArray<Result>
}

const ruled = rules.map(({ does, tests }) => ({ why: does, checks: [...tests] }))

/** Why a test that passes directly cannot pass there. */
const reasonsOn = {
  direct: [],
  gateway: ruled,
  simulated: [...ruled, ...gaps.map(({ because, tests }) => ({ why: because, checks: [...tests] }))]
}

/** Prints what became of a run, and says whether all is as it was written down. */
export const judged = Effect.fnUntraced(function* ({ folder, ran, recordIn, results, target }: Run) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(join(folder, "results.json"), JSON.stringify(results, undefined, 1))
  const passed = new Set(results.filter((_) => _.status === "success").map((_) => _.test))
  if (recordIn !== undefined) {
    yield* record(recordIn, ran, passed)
    yield* Console.log(`${passed.size} of ${ran.length} pass`)
    return true
  }
  const outcome = {
    passed,
    failed: new Map(ran.filter((_) => !passed.has(_)).map((test) => [test, lastWords(test, results)] as const))
  }
  const all = new Set(ran)
  const reasons = reasonsOn[target].map((_) => ({ ..._, checks: _.checks.filter((test) => all.has(test)) }))
  const difference = differenceOf(outcome, reasons)
  yield* Console.log(shown(outcome, difference))
  return isEmpty(difference)
})

/** The last lines of what a test said; of a class whose preparation failed, what that said. */
const lastWords = (test: string, results: ReadonlyArray<Result>): string => {
  const ofClass = test.slice(0, test.lastIndexOf("."))
  const result =
    results.find((_) => _.test === test) ??
    results.find((_) => _.test === `setUpClass (${ofClass})` || _.test === `tearDownClass (${ofClass})`)
  const lines = result?.said.split("\n").filter((_) => _.trim() !== "") ?? ["it has no result"]
  return lines
    .slice(-3)
    .join(" | ")
    .slice(-400)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>")
}
