import { Clock, Context, Effect, Scope } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { buildAnotherProcess } from "../cloud/Simulated.ts"
import { waitsForAnswer } from "./calls.ts"

/**
 * Runs the effect in a process of its own that comes to a halt at the first
 * call without an immediate answer: its clock never moves, no answer reaches
 * it later, and no finalizer of it runs. What it has asked of the cloud goes on
 * there, in the cloud's time.
 */
export const inDyingProcess = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const clock = yield* Clock.Clock
  const death = yield* Clock.currentTimeMillis
  const stopped = yield* Effect.provideService(TestClock.make(), Scope.Scope, yield* Scope.make())
  yield* stopped.setTime(death)

  const client = HttpClient.transform(yield* HttpClient.HttpClient, (answer) =>
    Effect.provideService(answer, Clock.Clock, clock).pipe(
      Effect.flatMap((_) => (clock.currentTimeMillisUnsafe() > death ? Effect.never : Effect.succeed(_)))
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
})
