import { Effect } from "effect"
import { join } from "node:path"
import { cloudOf, folderOf } from "../cloud.ts"
import { judged } from "../judged.ts"
import { passing } from "../passing.ts"
import type { Target } from "../Target.ts"
import { prepared } from "./prepare.ts"
import { isSelected, suites } from "./selection.ts"
import { allTests, nameOf, runTests } from "./tempest.ts"

const file = join(import.meta.dirname, "passing.json")

interface Run {
  readonly target: Target
  /** Of suites. */
  readonly names: ReadonlyArray<string>
  /** Whether what passes is written down. */
  readonly record: boolean
}

/** Runs the suites on the target, and says whether all is as it was written down. */
export const run = (asked: Run) => Effect.provide(runOn(asked), cloudOf(asked.target), { local: true })

const runOn = Effect.fnUntraced(function* ({ names, record, target }: Run) {
  const folder = yield* folderOf("tempest", target)
  yield* prepared(target, folder)
  const known = yield* passing(file)
  const tests = (yield* allTests(folder)).filter((id) =>
    names.some((name) => {
      const suite = suites[name]
      const test = nameOf(id)
      const isHere = suite?.isReal !== true || target !== "simulated"
      return suite !== undefined && isHere && isSelected(suite, test) && (record || known.has(test))
    })
  )
  const results = yield* runTests(folder, tests)
  return yield* judged({ target, folder, recordIn: record ? file : undefined, ran: tests.map(nameOf), results })
})
