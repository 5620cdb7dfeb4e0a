import { assert, describe, it } from "@effect/vitest"
import { CallOwner, turnToParse } from "@portico/upstream/longTexts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const about = { upstream: "neutron", call: "list routers" }
const long = 32 * 1024

/** Parses an answer of somebody's, and notes it. */
const parse = (owner: string, seen: Array<string>, length = long) =>
  turnToParse(about, length).pipe(
    Effect.andThen(Effect.sync(() => void seen.push(owner))),
    Effect.provideService(CallOwner, owner)
  )

const all = (effects: ReadonlyArray<ReturnType<typeof parse>>) => Effect.all(effects, { concurrency: "unbounded" })

describe("long answers", () => {
  it.effect("are parsed one at a time, owner by owner, and others go on in between", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const note = () => void seen.push("other")
      const answers = yield* Effect.forkChild(all(["a", "a", "a", "b", "b"].map((_) => parse(_, seen))))
      for (const parsed of [1, 2, 3, 4, 5]) {
        while (seen.filter((_) => _ !== "other").length < parsed) {
          yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
        }
        note()
      }
      yield* Fiber.join(answers)
      assert.deepStrictEqual(
        seen.filter((_) => _ !== "other"),
        ["a", "a", "b", "a", "b"]
      )
      assert.notMatch(seen.join(" "), /[ab] [ab]/, "nothing came between two")
    })
  )

  it.effect("of one owner wait up to a number, and for ten seconds; short ones and others' do not", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      // The first one goes at once. None of the others comes to its turn before the clock is moved.
      const many = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 34 }, () => Effect.result(parse("a", seen))),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      yield* parse("a", seen, long - 1)
      yield* TestClock.adjust("10 seconds")
      const results = yield* Fiber.join(many)
      const refused = results.flatMap((_) => (_._tag === "Failure" ? [_.failure] : []))
      assert.isAtLeast(refused.length, 1)
      for (const failure of refused) {
        assert.isFalse(failure.transient)
        assert.strictEqual(
          failure.summary,
          "neutron list routers: answered 200, and too many long answers are being read"
        )
      }
      assert.strictEqual(seen.length, 34 - refused.length + 1)
      const whole = 10 * 1024 * 1024
      const large = yield* all([parse("c", seen), parse("d", seen, whole), parse("d", seen, whole)]).pipe(Effect.result)
      assert.strictEqual(large._tag, "Failure", "more characters of one owner than may wait")
      yield* parse("b", seen)
      yield* parse("a", seen)
      assert.deepStrictEqual(seen.slice(-2), ["b", "a"])
    })
  )
})
