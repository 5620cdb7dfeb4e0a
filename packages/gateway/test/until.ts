import { Effect } from "effect"

const turn = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

/**
 * Goes on once it is so. It asks at every turn of the event loop, because
 * neither a test clock nor a busy machine's clock says anything about sockets.
 */
export const until = <R>(condition: Effect.Effect<boolean, never, R>): Effect.Effect<void, never, R> =>
  Effect.asVoid(Effect.repeat(Effect.andThen(turn, condition), { until: (_) => _ }))

/** Lets everything run that waits for nothing from outside. */
export const settled: Effect.Effect<void> = Effect.asVoid(Effect.repeat(turn, { times: 30 }))
