import { turnToPrepare } from "@portico/gateway/agent/ToolPlane"
import { Throttle } from "@portico/domain/limits/Throttle"
import { turnForPage, turnOfText } from "@portico/gateway/streams/throttles"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

const KiB = 1024

/** Turns of the event loop in which nobody else has a share. */
const throttleOfStreams = () => new Throttle(128 * KiB, setImmediate)

const nextTurn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

describe("the streams' share of the event loop", () => {
  it.live("a stream passes on a limited amount in one turn, and the rest in later ones", () =>
    Effect.gen(function* () {
      const throttle = throttleOfStreams()
      let pieces = 0
      while (throttle.take(65 * KiB)) pieces += 1
      assert.strictEqual(pieces, 2)
      assert.isFalse(throttle.take(1))
      yield* nextTurn
      assert.isTrue(throttle.take(1))
    })
  )

  it.live("waiting streams continue in order, and a small call is served in between", () =>
    Effect.gen(function* () {
      const throttle = throttleOfStreams()
      const order: Array<number> = []
      for (let stream = 0; stream < 100; stream += 1) throttle.wait(65 * KiB, () => order.push(stream))
      assert.strictEqual(order.length, 2)
      yield* nextTurn
      assert.isAtMost(order.length, 6)
      for (let turn = 0; turn < 60; turn += 1) yield* nextTurn
      assert.deepStrictEqual(
        order,
        Array.from({ length: 100 }, (_, stream) => stream)
      )
    })
  )

  it.live("a piece larger than the budget passes, and one without a reader blocks none", () =>
    Effect.gen(function* () {
      const throttle = throttleOfStreams()
      assert.isTrue(throttle.take(4096 * KiB))
      const leave = throttle.wait(4096 * KiB, () => assert.fail("it left"))
      leave()
      yield* Effect.callback<void>((resume) => void throttle.wait(1, () => resume(Effect.void)))
    })
  )

  it.live("pieces larger than the budget wait for their turns, and smaller ones do not wait for them", () =>
    Effect.gen(function* () {
      const throttle = throttleOfStreams()
      const order: Array<string> = []
      for (const piece of ["first", "second", "third"]) throttle.wait(1280 * KiB, () => order.push(piece))
      for (let turn = 0; turn < 9; turn++) {
        throttle.wait(64 * KiB, () => order.push("small"))
        yield* nextTurn
      }
      assert.deepStrictEqual(order, ["first", ...Array.from({ length: 9 }, () => "small")])
      yield* nextTurn
      assert.deepStrictEqual(order.slice(10), ["second"])
      for (let turn = 0; turn < 10; turn++) yield* nextTurn
      assert.deepStrictEqual(order.slice(10), ["second", "third"])
    })
  )

  it.live("long texts are parsed one at a time, and an interrupted one takes no turn", () =>
    Effect.gen(function* () {
      const order: Array<number> = []
      const texts = yield* Effect.forEach([0, 1, 2, 3], (text) =>
        Effect.forkChild(
          Effect.andThen(
            turnOfText,
            Effect.sync(() => order.push(text))
          )
        )
      )
      yield* Effect.yieldNow
      assert.deepStrictEqual(order, [0])
      yield* Fiber.interrupt(texts[1] ?? assert.fail("no text"))
      yield* Fiber.joinAll(texts.filter((_) => _ !== texts[1]))
      assert.deepStrictEqual(order, [0, 2, 3])
    })
  )

  it.live("readers of pages get a limited amount at once, and the rest in order later", () =>
    Effect.gen(function* () {
      const order: Array<number> = []
      const readers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, reader) => reader),
        (reader) =>
          Effect.forkChild(
            Effect.andThen(
              turnForPage(64 * KiB),
              Effect.sync(() => order.push(reader))
            )
          )
      )
      yield* nextTurn
      assert.strictEqual(order.length, 8)
      yield* Fiber.joinAll(readers)
      assert.deepStrictEqual(
        order,
        Array.from({ length: 20 }, (_, reader) => reader)
      )
    })
  )

  it.live("interrupted readers of pages block none", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.forEach(Array.from({ length: 10_000 }), () => Effect.forkChild(turnForPage(64 * KiB)))
      yield* nextTurn
      yield* Fiber.interruptAll(gone)
      yield* turnForPage(64 * KiB)
    })
  )

  it.live("long answers of tools are prepared one at a time, and short ones do not wait", () =>
    Effect.gen(function* () {
      const preparedAtOnce = Effect.fnUntraced(function* (body: string) {
        let prepared = 0
        const one = Effect.andThen(
          turnToPrepare({ body }),
          Effect.sync(() => (prepared += 1))
        )
        const all = yield* Effect.replicateEffect(Effect.forkChild(one, { startImmediately: true }), 3)
        const atOnce = prepared
        yield* Fiber.joinAll(all)
        yield* nextTurn
        return atOnce
      })
      assert.isAtMost(yield* preparedAtOnce("x".repeat(20 * KiB)), 1)
      assert.strictEqual(yield* preparedAtOnce("x".repeat(KiB)), 3)
    })
  )
})
