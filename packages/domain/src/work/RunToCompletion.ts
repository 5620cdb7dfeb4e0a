import { Context, Effect, Fiber, FiberSet, Layer } from "effect"

/**
 * Runs an operation in a fiber that the service owns. A caller that disconnects stops waiting for
 * the operation but does not interrupt it. At shutdown the service waits for the operations that
 * still run.
 */
export class RunToCompletion extends Context.Service<
  RunToCompletion,
  {
    run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("portico/domain/work/RunToCompletion") {
  static readonly layer = Layer.effect(
    RunToCompletion,
    Effect.gen(function* () {
      const fibers = yield* FiberSet.make<unknown, unknown>()
      yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(fibers))
      return RunToCompletion.of({
        run: (effect) => Effect.flatMap(FiberSet.run(fibers, effect), Fiber.join)
      })
    })
  )
}
