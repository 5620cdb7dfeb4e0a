import { type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** Lets everything run that needs no time. Signatures are made in promises, of which the test clock knows nothing. */
export const settle = Effect.promise(async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((done) => setImmediate(done))
})

/** Runs the effect while the clock moves on in steps, so that pauses and time-outs pass. */
export const inTime = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  step: Duration.Input = "1 second"
) {
  const fiber = yield* Effect.forkChild(effect)
  for (let steps = 0; steps < 1000; steps++) {
    yield* settle
    if (fiber.pollUnsafe() !== undefined) return yield* Fiber.join(fiber)
    yield* TestClock.adjust(step)
  }
  return yield* Effect.die("it is not done after 1000 steps of the clock")
})

/** Lets time pass in steps, so that what is due in between is done in between. */
export const pass = Effect.fnUntraced(function* (seconds: number) {
  for (let second = 0; second < seconds; second += 10) {
    yield* TestClock.adjust("10 seconds")
    yield* settle
  }
})
