import { Context, Effect, Latch, Layer } from "effect"

/**
 * Whether this process is about to stop. Answers that could go on for long end
 * by themselves then, while there is time to say so.
 */
export class Stopping extends Context.Service<
  Stopping,
  {
    readonly hasBegun: () => boolean
    readonly begin: () => void
    /** Done as soon as it has begun. */
    readonly begun: Effect.Effect<void>
  }
>()("portico/domain/health/Stopping") {
  static readonly layer = Layer.effect(
    Stopping,
    Effect.map(Latch.make(), (latch) =>
      Stopping.of({ hasBegun: () => latch.isOpen(), begin: () => void latch.openUnsafe(), begun: latch.await })
    )
  )

  /** Above whatever serves, so that it is the first to hear of the end. */
  static readonly noticed = Layer.effectDiscard(
    Effect.flatMap(Stopping, ({ begin }) => Effect.addFinalizer(() => Effect.sync(begin)))
  )
}
