import { Context, Effect, Latch, Layer } from "effect"

/**
 * Whether this process is shutting down. Long responses then end by themselves, while there is time
 * to send their end.
 */
export class Stopping extends Context.Service<
  Stopping,
  {
    readonly hasBegun: () => boolean
    readonly begin: () => void
    /** Completes when the shutdown has begun. */
    readonly begun: Effect.Effect<void>
  }
>()("portico/domain/health/Stopping") {
  static readonly layer = Layer.effect(
    Stopping,
    Effect.map(Latch.make(), (latch) =>
      Stopping.of({ hasBegun: () => latch.isOpen(), begin: () => void latch.openUnsafe(), begun: latch.await })
    )
  )

  /** Must be above the servers, so that its finalizer runs first. */
  static readonly noticed = Layer.effectDiscard(
    Effect.flatMap(Stopping, ({ begin }) => Effect.addFinalizer(() => Effect.sync(begin)))
  )
}
