import { Cause, Effect } from "effect"

/**
 * Logs a defect and continues with `otherwise`. It passes an interruption on, because a process
 * that stops has not failed.
 */
export const orLogged = <A, R, B, E2, R2>(
  effect: Effect.Effect<A, never, R>,
  message: string,
  otherwise: Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E2, R | R2> =>
  Effect.catchCause(effect, (cause): Effect.Effect<B, E2, R2> =>
    Cause.hasInterrupts(cause) ? Effect.failCause(cause) : Effect.andThen(Effect.logError(message, cause), otherwise)
  )
