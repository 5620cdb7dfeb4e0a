import { Effect, FileSystem } from "effect"
import { join } from "node:path"

const file = join(import.meta.dirname, "passing.json")

/** The names of the tests that pass directly on the real cloud, by their classes: `{"module.Class": ["test_it"]}`. */
type ByClass = Record<string, ReadonlyArray<string>>

const read = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const byClass: ByClass = (yield* fs.exists(file)) ? JSON.parse(yield* fs.readFileString(file)) : {}
  return new Set(Object.entries(byClass).flatMap(([name, tests]) => tests.map((test) => `${name}.${test}`)))
})

/** The tests that pass directly on the real cloud, as the last recorded run wrote them down. */
export const passing = Effect.orDie(read)

/** Writes down which of the tests that ran pass; what is known of others stays. */
export const record = Effect.fnUntraced(function* (ran: ReadonlyArray<string>, passed: ReadonlySet<string>) {
  const fs = yield* FileSystem.FileSystem
  const others = (yield* read).difference(new Set(ran))
  const byClass: Record<string, Array<string>> = {}
  for (const test of [...others, ...passed].toSorted()) {
    const end = test.lastIndexOf(".")
    ;(byClass[test.slice(0, end)] ??= []).push(test.slice(end + 1))
  }
  yield* fs.writeFileString(file, `${JSON.stringify(byClass, undefined, 2)}\n`)
}, Effect.orDie)
