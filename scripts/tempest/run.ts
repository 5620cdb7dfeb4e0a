import { Console, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { compare, shown } from "./compare.ts"
import { isSelected, suites } from "./selection.ts"
import { cloudOf, folderOf, prepared } from "./prepare.ts"
import type { Target } from "./Target.ts"
import { allTests, nameOf, type Result, runTests } from "./tempest.ts"
import { passing, record } from "./passing.ts"

interface Run {
  readonly target: Target
  /** Of suites. */
  readonly names: ReadonlyArray<string>
  /** Whether what passes is written down. */
  readonly record: boolean
}

/** Runs the suites on the target, and says whether all is as it was written down. */
export const run = (asked: Run) => Effect.provide(runOn(asked), cloudOf(asked.target), { local: true })

const runOn = Effect.fnUntraced(function* ({ names, record: isRecorded, target }: Run) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* folderOf(target)
  yield* prepared(target, folder)
  const known = yield* passing
  const tests = (yield* allTests(folder)).filter((id) =>
    names.some((name) => {
      const suite = suites[name]
      const test = nameOf(id)
      return suite !== undefined && isSelected(suite, test) && (target === "direct" || known.has(test))
    })
  )
  const results = yield* runTests(folder, tests)
  yield* fs.writeFileString(join(folder, "results.json"), JSON.stringify(results, undefined, 1))
  yield* Console.log(counted(results))
  const passed = new Set(results.filter((_) => _.status === "success").map((_) => _.test))
  if (target === "direct" && isRecorded) {
    yield* record(tests.map(nameOf), passed)
    return true
  }
  const ran = tests.map(nameOf).filter((_) => known.has(_))
  const difference = compare(target, ran, passed)
  yield* Console.log(shown(difference, results))
  return difference.lost.length === 0 && difference.gained.length === 0
})

const counted = (results: ReadonlyArray<Result>): string => {
  const of = (status: Result["status"]) => results.filter((_) => _.status === status).length
  return `${of("success")} passed, ${of("fail")} failed, ${of("skip")} skipped`
}
