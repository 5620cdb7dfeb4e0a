import { Context, Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { unanswered } from "./inTime.ts"

/**
 * Asks for a place at the database.
 *
 * @param go called once there is one: at once, or later
 * @param refuse called instead, when there is none in time
 * @returns gives up the place, or the wait for it
 */
export type EnterSession = (go: () => void, refuse: () => void) => () => void

/** What every statement and transaction of a fiber passes before it takes a session; undefined where none is kept back. */
export const SessionPlace = Context.Reference<EnterSession | undefined>("portico/store/SessionPlace", {
  defaultValue: () => undefined
})

/** Takes a place until the scope ends. Errors: a `ConnectionError` when there is none in time. */
export const takePlace: Effect.Effect<void, SqlError, Scope.Scope> = Effect.flatMap(SessionPlace, (enter) =>
  enter === undefined
    ? Effect.void
    : Effect.acquireRelease(entered(enter), (leave) => Effect.sync(leave), { interruptible: true })
)

const entered = (enter: EnterSession): Effect.Effect<() => void, SqlError> =>
  Effect.callback((resume) => {
    let leave = () => {}
    leave = enter(
      () => resume(Effect.succeed(() => leave())),
      () => resume(Effect.fail(unanswered("acquireConnection", "no session of PostgreSQL became free in time")))
    )
    return Effect.sync(() => leave())
  })
