import { assert, it } from "@effect/vitest"
import { allPages } from "@portico/upstream/paging"
import { Effect } from "effect"

const about = { upstream: "nova", call: "list servers" }

/** Reads these pages in turn, the last one for ever, and notes how many items each read knew of. */
const reading = (...pages: ReadonlyArray<{ readonly items: ReadonlyArray<string>; readonly more: boolean }>) => {
  const known: Array<number> = []
  const all = allPages<string, never>(about, ({ length }) => {
    const page = pages[Math.min(known.push(length), pages.length) - 1]
    return Effect.succeed(page ?? { items: [], more: false })
  })
  return { all, known }
}

it.effect("a list is read to the page that says it is the last one, each by what was found before", () =>
  Effect.gen(function* () {
    const { all, known } = reading({ items: ["a", "b"], more: true }, { items: ["c"], more: false })
    assert.deepStrictEqual(yield* all, ["a", "b", "c"])
    assert.deepStrictEqual(known, [0, 2])
  })
)

it.effect("an empty page ends a list, whatever it says of others", () =>
  Effect.gen(function* () {
    const { all, known } = reading({ items: ["a"], more: true }, { items: [], more: true })
    assert.deepStrictEqual(yield* all, ["a"])
    assert.lengthOf(known, 2)
  })
)

it.effect("a list without an end is a failure of the system", () =>
  Effect.gen(function* () {
    const { all, known } = reading({ items: ["a"], more: true })
    const error = yield* Effect.flip(all)
    assert.strictEqual(error.summary, "nova list servers: its list does not end after 2000 pages")
    assert.lengthOf(known, 2000)
  })
)
