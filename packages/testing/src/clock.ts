import { Clock, type Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** One turn of the event loop, in which promises and sockets get on. The test clock knows nothing of either. */
export const turn: Effect.Effect<void> = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

/** What Node has threads or the kernel do, by the names of its requests. */
const requests = new Set([
  "FSReqCallback",
  "FSReqPromise",
  "GetAddrInfoReqWrap",
  "GetNameInfoReqWrap",
  "TCPConnectWrap"
])

const isBusy = (): boolean => process.getActiveResourcesInfo().some((_) => requests.has(_))

/**
 * Lets everything run that waits for neither time nor another process: so many
 * turns, and more while a file is read, a name looked up or a connection made,
 * for which a busy machine needs longer. It does not see keys that are made.
 */
export const settle: Effect.Effect<void> = Effect.callback((resume) => {
  let turns = 0
  const next = (): void => {
    turns += 1
    if (turns > 30 && (turns > 20_000 || !isBusy())) resume(Effect.void)
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

/** So many steps take no real time. */
const quick = 1000

/** What is not done then hangs. */
const most = 10_000

/**
 * Before a step of the clock: lets everything get on. What takes so many steps
 * waits for something outside of the test, such as a file or a module that is
 * loaded, for which a busy machine needs real time.
 */
const ready = (step: number): Effect.Effect<void> => (step < quick ? settle : Effect.andThen(settle, moment))

// oxlint-disable-next-line live/waits -- it asks again, and nothing depends on how often
const moment = Effect.promise(() => new Promise<void>((done) => setTimeout(done, 1)))

/**
 * Runs the effect while the test clock moves on in steps, so that pauses, time
 * limits and hangs take no real time. Dies when the effect hangs all the same.
 */
export const inTime = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  step: Duration.Input = "1 second"
) {
  const fiber = yield* Effect.forkChild(effect)
  for (let steps = 0; steps < most; steps++) {
    yield* ready(steps)
    if (fiber.pollUnsafe() !== undefined) return yield* Fiber.join(fiber)
    yield* TestClock.adjust(step)
  }
  return yield* Effect.die(`it is not done after ${most} steps of the clock`)
})

/**
 * Repeats the effect until its value is the wanted one, and returns that. The
 * test clock moves on by a step after each other value, so that what a
 * simulated operator or a job does in seconds takes no real time. Dies when it
 * never is.
 */
export const repeatInTime = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  isWanted: (value: A) => boolean,
  step: Duration.Input = "1 second"
) {
  for (let steps = 0; steps < most; steps++) {
    const value = yield* effect
    if (isWanted(value)) return value
    yield* TestClock.adjust(step)
    yield* ready(steps)
  }
  return yield* Effect.die(`it is not so after ${most} steps of the clock`)
})

/**
 * Repeats the effect until it succeeds, and returns that, or fails as it does
 * when it never succeeds. The test clock moves on by a step after each failure;
 * a live clock goes on by itself.
 */
export const succeedInTime = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  step: Duration.Input = "1 second"
) {
  const moves = "adjust" in (yield* Clock.Clock) ? TestClock.adjust(step) : Effect.void
  for (let steps = 0; ; steps++) {
    const exit = yield* Effect.exit(effect)
    if (Exit.isSuccess(exit) || steps === most) return yield* exit
    yield* moves
    yield* ready(steps)
  }
})

/** Moves the test clock on by so many seconds, ten at a time, so that what is due in between is done in between. */
export const pass = Effect.fnUntraced(function* (seconds: number) {
  for (let second = 0; second < seconds; second += 10) {
    yield* TestClock.adjust("10 seconds")
    yield* settle
  }
})
