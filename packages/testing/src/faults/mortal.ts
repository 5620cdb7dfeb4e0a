import { Clock, Context, Effect, Scope } from "effect"
import { HttpClient } from "effect/http"
import { buildAnotherProcess } from "../cloud/Simulated.ts"

/** The clock of a process that may die: it goes as the other one does, and no pause ends after the death. */
export const mortalClock = (clock: Clock.Clock, unlessDead: (_: void) => Effect.Effect<void>): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => Effect.flatMap(clock.sleep(duration), unlessDead)
})

/**
 * Runs the effect in a process of its own, beside the test, until that kills
 * it: from then on no answer reaches it, no pause of it ends, and no finalizer
 * of it runs. What it has asked of the cloud goes on there.
 *
 * @returns what kills it
 */
export const inMortalProcess = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  let dead = false
  const unlessDead = <B>(value: B) => Effect.suspend(() => (dead ? Effect.never : Effect.succeed(value)))
  const mortal = mortalClock(yield* Clock.Clock, unlessDead)
  const client = HttpClient.transform(yield* HttpClient.HttpClient, (answer) => Effect.flatMap(answer, unlessDead))
  const itsOwn = yield* buildAnotherProcess.pipe(
    Effect.provideService(HttpClient.HttpClient, client),
    // Steps of a company keep the context in which they are built.
    Effect.provideService(Clock.Clock, mortal),
    Effect.provideService(Scope.Scope, yield* Scope.make())
  )
  yield* Effect.forkDetach(Effect.provideContext(effect, Context.add(itsOwn, Clock.Clock, mortal)))
  return () => {
    dead = true
  }
})
