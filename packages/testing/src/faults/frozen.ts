import { Clock, Context, Effect, Exit, Fiber, Latch, Scope } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { settle } from "../clock.ts"
import { buildAnotherProcess } from "../cloud/Simulated.ts"
import { waitsForAnswer } from "./calls.ts"

/** What is not done after so many steps of its clock hangs. */
const most = 1_000

/**
 * Runs the effect in a process of its own whose machine stands still at the first call without an immediate answer, as
 * a virtual machine that is paused: its clock stands still with it. What it has asked of the cloud goes on there, in the
 * cloud's time.
 *
 * @returns `wake` lets it go on, with the answers that have come and the clock where it was, and returns how the effect
 * ends
 */
export const inFrozenProcess = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const clock = yield* Clock.Clock
  const frozenAt = yield* Clock.currentTimeMillis
  const stopped = yield* Effect.provideService(TestClock.make(), Scope.Scope, yield* Scope.make())
  yield* stopped.setTime(frozenAt)
  const awake = yield* Latch.make()

  const client = HttpClient.transform(yield* HttpClient.HttpClient, (answer) =>
    Effect.provideService(answer, Clock.Clock, clock).pipe(
      Effect.tap(() => (clock.currentTimeMillisUnsafe() > frozenAt ? awake.await : Effect.void))
    )
  )
  const itsOwn = yield* buildAnotherProcess.pipe(
    Effect.provideService(HttpClient.HttpClient, client),
    // Steps of a company keep the context in which they are built.
    Effect.provideService(Clock.Clock, stopped),
    Effect.provideService(Scope.Scope, yield* Scope.make())
  )
  const fiber = yield* Effect.forkDetach(Effect.provideContext(effect, Context.add(itsOwn, Clock.Clock, stopped)))
  yield* waitsForAnswer(fiber)

  const wake: Effect.Effect<Exit.Exit<A, E>> = Effect.gen(function* () {
    yield* awake.open
    for (let steps = 0; steps < most; steps++) {
      yield* settle
      if (fiber.pollUnsafe() !== undefined) return yield* Fiber.await(fiber)
      yield* stopped.adjust("1 second")
      yield* TestClock.adjust("1 second")
    }
    return yield* Effect.die(`it is not done after ${most} steps of its clock`)
  })
  return { wake }
})
