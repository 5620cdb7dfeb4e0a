import { Clock, Context, Effect, Layer, Scope } from "effect"
import { HttpClient } from "effect/http"
import { Process } from "./simulated.ts"

/**
 * Runs the effect in a process of its own, beside the test, until that kills
 * it: from then on no answer reaches it, no pause of it ends, and nobody stops
 * it in good order. What it has asked of the cloud goes on there.
 *
 * @returns what kills it
 */
export const inMortalProcess = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const clock = yield* Clock.Clock
  let dead = false
  const unlessDead = <B>(value: B) => Effect.suspend(() => (dead ? Effect.never : Effect.succeed(value)))

  const mortal: Clock.Clock = {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
    currentTimeMillis: clock.currentTimeMillis,
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    currentTimeNanos: clock.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => Effect.flatMap(clock.sleep(duration), unlessDead)
  }
  const client = HttpClient.transform(yield* HttpClient.HttpClient, (answer) => Effect.flatMap(answer, unlessDead))
  const itsOwn = yield* Layer.buildWithScope(Layer.fresh(Process), yield* Scope.make()).pipe(
    Effect.provideService(HttpClient.HttpClient, client)
  )
  yield* Effect.forkDetach(Effect.provideContext(effect, Context.add(itsOwn, Clock.Clock, mortal)))
  return () => {
    dead = true
  }
})
