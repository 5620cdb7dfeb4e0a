import { Effect } from "effect"
import { join } from "node:path"
import { cloudOf, folderOf } from "../cloud.ts"
import { judged } from "../judged.ts"
import { passing } from "../passing.ts"
import { project } from "../projects.ts"
import type { Target } from "../Target.ts"
import { environmentFor } from "./environment.ts"
import { runTests, testsOf } from "./gophercloud.ts"
import { ends } from "./selection.ts"

const file = join(import.meta.dirname, "passing.json")

interface Run {
  readonly target: Target
  readonly packages: ReadonlyArray<string>
  /** Whether what passes is written down. */
  readonly record: boolean
}

/** Runs the packages on the target, and says whether all is as it was written down. */
export const run = (asked: Run) => Effect.provide(runOn(asked), cloudOf(asked.target), { local: true })

const runOn = Effect.fnUntraced(function* ({ packages, record, target }: Run) {
  const folder = yield* folderOf("gophercloud", target)
  const place = { folder, environment: yield* environmentFor(target, yield* project(target, "gophercloud")) }
  const known = yield* passing(file)
  const tests = (yield* testsOf(place, packages)).filter((_) => ends(target, _) && (record || known.has(_)))
  const results = yield* runTests(place, tests)
  return yield* judged({ target, folder, recordIn: record ? file : undefined, ran: tests, results })
})
