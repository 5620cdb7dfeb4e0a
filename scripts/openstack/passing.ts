import { Effect, FileSystem } from "effect"
import { byClass, namesIn } from "./ByClass.ts"

/** The tests that pass directly on the real cloud, as the last recorded run wrote them down in a suite's file. */
export const passing = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.exists(file)) ? namesIn(JSON.parse(yield* fs.readFileString(file))) : new Set<string>()
})

/** Writes down which of the tests that ran pass; what is known of others stays. */
export const record = Effect.fnUntraced(function* (
  file: string,
  ran: ReadonlyArray<string>,
  passed: ReadonlySet<string>
) {
  const fs = yield* FileSystem.FileSystem
  const others = (yield* passing(file)).difference(new Set(ran))
  yield* fs.writeFileString(file, `${JSON.stringify(byClass(others.union(passed)), undefined, 2)}\n`)
})
