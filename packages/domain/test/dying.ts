import { Clock, Context, Effect, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { settle } from "./clock.ts"
import { Process } from "./simulated.ts"

/**
 * Runs the effect in a process of its own that comes to a halt wherever a call
 * of it hangs: its clock never moves, so no time-out and no pause of it ends,
 * and nobody ever stops it in good order.
 */
export const inDyingProcess = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const stopped = yield* Effect.provideService(TestClock.make(), Scope.Scope, yield* Scope.make())
  yield* stopped.setTime(yield* Clock.currentTimeMillis)
  const itsOwn = yield* Layer.buildWithScope(Layer.fresh(Process), yield* Scope.make())
  const everything = Context.add(itsOwn, Clock.Clock, stopped)
  yield* Effect.forkDetach(Effect.provideContext(effect, everything))
  yield* settle
})
