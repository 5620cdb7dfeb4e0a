import { PgConnection } from "@effect/sql-pg"
import { Duration, Effect, Latch } from "effect"
import { unanswered, within } from "./inTime.ts"

/** How long one attempt to reach a silent database takes. The next follows at once. */
const probeTime = Duration.seconds(3)

/**
 * Whether the database is silent: a statement got no answer and its cancellation none either, or a login got none. It ends with the first
 * attempt to log in that is answered, be it with a refusal.
 */
export const silenceOf = Effect.fnUntraced(function* (options: PgConnection.Config) {
  const silence = yield* Latch.make()
  const login = Effect.exit(Effect.scoped(PgConnection.make(options)))
  yield* silence.await.pipe(
    Effect.andThen(Effect.logWarning("PostgreSQL does not answer: what needs it fails at once until it does")),
    Effect.andThen(Effect.eventually(within(probeTime)(login))),
    Effect.andThen(silence.close),
    Effect.andThen(Effect.logInfo("PostgreSQL answers again")),
    Effect.forever,
    Effect.forkScoped
  )
  return {
    begin: () => void silence.openUnsafe(),
    /** Fails while it lasts. */
    refused: Effect.suspend(() =>
      silence.isOpen() ? Effect.fail(unanswered("acquireConnection", "PostgreSQL does not answer")) : Effect.void
    )
  }
})
