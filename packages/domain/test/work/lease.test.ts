import { assert, describe, it } from "@effect/vitest"
import { renewing, renewingEvery, underLease } from "@portico/domain/work/lease"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

describe("a step under a lease", () => {
  const steps = (step: Effect.Effect<string>) => {
    const ends: Array<string> = []
    const says = (word: string) => Effect.sync(() => ends.push(word))
    const held = underLease(step, { what: "a row", broken: says("put off"), interrupted: says("released") })
    return { ends, held }
  }

  it.effect("is not postponed or released when it succeeds", () =>
    Effect.gen(function* () {
      const { ends, held } = steps(Effect.succeed("done"))
      assert.strictEqual(yield* held, "done")
      assert.deepStrictEqual(ends, [])
    })
  )

  it.effect("is postponed when it dies", () =>
    Effect.gen(function* () {
      const { ends, held } = steps(Effect.die("broken"))
      yield* held
      assert.deepStrictEqual(ends, ["put off"])
    })
  )

  it.effect("is released when it is interrupted, and not postponed", () =>
    Effect.gen(function* () {
      const { ends, held } = steps(Effect.never)
      const fiber = yield* Effect.forkChild(held)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(ends, ["released"])
    })
  )
})

describe("a lease", () => {
  const renewals = (fails: (count: number) => Effect.Effect<void, string>) => {
    let count = 0
    const renewal = Effect.suspend(() => fails((count += 1)))
    return { renewing: renewing(renewal), count: () => count }
  }

  it.effect("is renewed while the step runs, although a renewal dies", () =>
    Effect.gen(function* () {
      const { count, renewing } = renewals((_) => (_ === 2 ? Effect.die("no database") : Effect.void))
      const fiber = yield* Effect.forkChild(renewing(Effect.as(Effect.sleep("100 seconds"), "done")))
      yield* TestClock.adjust("95 seconds")
      assert.strictEqual(count(), 3)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "done")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(count(), 3)
    })
  )

  it.effect("ends the step when it is lost", () =>
    Effect.gen(function* () {
      const { renewing } = renewals(() => Effect.fail("lost"))
      let isInterrupted = false
      const step = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (isInterrupted = true)))
      const fiber = yield* Effect.forkChild(Effect.flip(renewing(step)))
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "lost")
      assert.isTrue(isInterrupted)
    })
  )

  it.effect("without a fence does not end the work when a renewal is interrupted or reports a loss", () =>
    Effect.gen(function* () {
      const ends = [Effect.interrupt, Effect.die("no database"), Effect.succeed(false)]
      let count = 0
      const renew = Effect.suspend(() => ends[count++] ?? Effect.succeed(true))
      const work = Effect.as(Effect.sleep("50 seconds"), "done")
      const renewed = renewingEvery({ what: "the lease of a call", interval: Duration.seconds(10), renew })(work)
      const fiber = yield* Effect.forkChild(renewed)
      yield* TestClock.adjust("50 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "done")
      assert.isAtLeast(count, 4)
    })
  )
})
