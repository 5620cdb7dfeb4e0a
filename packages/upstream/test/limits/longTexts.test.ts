import { assert, describe, it } from "@effect/vitest"
import { CallOwner, turnToParse } from "@portico/upstream/limits/longTexts"
import { Effect, Fiber } from "effect"

const about = { upstream: "neutron", call: "list routers" }
const long = 32 * 1024

/** Takes a turn for an answer of an owner, and notes the owner. */
const parse = (owner: string, seen: Array<string>, length = long) =>
  turnToParse(about, length).pipe(
    Effect.andThen(Effect.sync(() => void seen.push(owner))),
    Effect.provideService(CallOwner, owner)
  )

/** Turns of the event loop, after which nothing is left of a story before. */
const idle = Effect.repeat(
  Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void))),
  { times: 10 }
)

const all = (effects: ReadonlyArray<ReturnType<typeof parse>>) => Effect.all(effects, { concurrency: "unbounded" })

describe("long answers", () => {
  it.effect("are parsed one at a time, in turns of their owners, with other work in between", () =>
    Effect.gen(function* () {
      yield* idle
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

  it.effect("of one owner queue up to a number and a total length; short and others' do not", () =>
    Effect.gen(function* () {
      yield* idle
      const seen: Array<string> = []
      // The first one goes at once.
      const results = yield* Effect.all(
        Array.from({ length: 35 }, () => Effect.result(parse("a", seen))),
        { concurrency: "unbounded" }
      )
      const refused = results.flatMap((_) => (_._tag === "Failure" ? [_.failure] : []))
      assert.deepStrictEqual(
        refused.map((_) => _.summary),
        Array.from({ length: 2 }, () => "neutron list routers: answered 200, and too many long answers are being read")
      )
      assert.isFalse(refused[0]?.transient)
      assert.strictEqual(seen.length, 33)
      const whole = 10 * 1024 * 1024
      const large = yield* all([parse("c", seen), parse("d", seen, whole), parse("d", seen, whole)]).pipe(Effect.result)
      assert.strictEqual(large._tag, "Failure", "more characters of one owner than may wait")
      yield* parse("a", seen, long - 1)
      yield* parse("b", seen)
      yield* parse("a", seen)
      assert.deepStrictEqual(seen.slice(-3), ["a", "b", "a"])
    })
  )

  it.effect("of an interrupted caller give up their turn", () =>
    Effect.gen(function* () {
      yield* idle
      const seen: Array<string> = []
      const first = yield* Effect.forkChild(all([parse("a", seen), parse("a", seen), parse("b", seen)]), {
        startImmediately: true
      })
      const given = yield* Effect.forkChild(parse("c", seen), { startImmediately: true })
      yield* Fiber.interrupt(given)
      yield* Fiber.join(first)
      yield* parse("d", seen)
      assert.deepStrictEqual(seen, ["a", "a", "b", "d"])
    })
  )
})
