import { assert, it } from "@effect/vitest"
import { pass } from "@portico/testing/clock"
import { fairSemaphore } from "@portico/upstream/limits/FairSemaphore"
import { Duration, Effect, Fiber } from "effect"

const late = Effect.fail("late")

/** Work of ten seconds, by owner and number, and which of it has begun. */
const working = Effect.gen(function* () {
  const { withPermit } = yield* fairSemaphore({ ofOne: 2, inAll: 3, longestWait: Duration.seconds(15) })
  const begun: Array<string> = []
  const work = (owner: string, number: number) =>
    Effect.sync(() => begun.push(`${owner}${number}`)).pipe(
      Effect.andThen(Effect.sleep("10 seconds")),
      withPermit(owner, late),
      Effect.exit,
      Effect.forkChild({ startImmediately: true })
    )
  return { begun, work }
})

it.effect("one owner's work is serial, and owners take turns at the shared slots", () =>
  Effect.gen(function* () {
    const { begun, work } = yield* working
    for (const number of [1, 2, 3, 4]) yield* work("a", number)
    for (const number of [1, 2]) yield* work("b", number)
    yield* work("c", 1)
    assert.deepStrictEqual(begun, ["a1", "a2", "b1"])
    yield* pass(10)
    assert.deepStrictEqual(begun.slice(3).toSorted(), ["a3", "b2", "c1"])
  })
)

it.effect("work that does not begin in time fails without running, and its slot is free for others", () =>
  Effect.gen(function* () {
    const { begun, work } = yield* working
    const fibers = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (number) => work("a", number))
    yield* pass(20)
    assert.deepStrictEqual(begun, ["a1", "a2", "a3", "a4"])
    yield* pass(30)
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(
      exits.map((_) => _._tag),
      ["Success", "Success", "Success", "Success", "Failure", "Failure"]
    )
    yield* work("a", 7)
    yield* work("a", 8)
    yield* work("b", 1)
    assert.deepStrictEqual(begun.slice(4), ["a7", "a8", "b1"])
  })
)
