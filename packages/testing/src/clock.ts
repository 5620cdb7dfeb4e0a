import { type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** One turn of the event loop, in which promises and sockets get on. The test clock knows nothing of either. */
export const turn: Effect.Effect<void> = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

/** Lets everything run that waits for neither time nor anything outside the process: so many turns, without a fiber's way between. */
export const settle: Effect.Effect<void> = Effect.callback((resume) => {
  let turns = 0
  const next = (): void => {
    if (++turns > 30) resume(Effect.void)
    else setImmediate(next)
  }
  setImmediate(next)
})

/**
 * Goes on once the condition holds. Asks at every turn of the event loop,
 * because neither a test clock nor a busy machine's clock says anything about
 * sockets.
 */
export const until = <R>(condition: Effect.Effect<boolean, never, R>): Effect.Effect<void, never, R> =>
  Effect.asVoid(Effect.repeat(Effect.andThen(turn, condition), { until: (_) => _ }))

/**
 * Runs the effect while the test clock moves on in steps, so that pauses, time
 * limits and hangs take no real time. Dies when the effect is not done after
 * 1000 steps.
 */
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

/**
 * Repeats the effect until its value is the wanted one, and returns that. The
 * test clock moves on by a step after each other value, so that what a
 * simulated operator or a job does in seconds takes no real time. Dies after
 * 1000 steps.
 */
export const repeatInTime = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  isWanted: (value: A) => boolean,
  step: Duration.Input = "1 second"
) {
  for (let steps = 0; steps < 1000; steps++) {
    const value = yield* effect
    if (isWanted(value)) return value
    yield* TestClock.adjust(step)
    yield* settle
  }
  return yield* Effect.die("it is not so after 1000 steps of the clock")
})

/** Moves the test clock on by so many seconds, ten at a time, so that what is due in between is done in between. */
export const pass = Effect.fnUntraced(function* (seconds: number) {
  for (let second = 0; second < seconds; second += 10) {
    yield* TestClock.adjust("10 seconds")
    yield* settle
  }
})
