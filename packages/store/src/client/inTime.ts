import { Context, Duration, Effect, type Fiber } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/**
 * How long one statement may take, the wait for its session included; undefined for the client's usual time. What is no
 * request has one of its own: migrations, jobs, tools.
 */
export const StatementTime = Context.Reference<Duration.Duration | undefined>("portico/store/StatementTime", {
  defaultValue: () => undefined
})

/**
 * How long a statement that was given up may take to end. A server that works confirms a cancellation within
 * milliseconds; of one that does not, nothing more is waited for.
 */
export const confirmTime = Duration.seconds(1)

/** The error of a database that has not answered: what was asked may have been done, or may still be. */
export const unanswered = (operation: string, message: string): SqlError =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation }) })

/**
 * Ends an effect that waits for PostgreSQL after its time, in regions that cannot be interrupted too, such as a COMMIT
 * or the release of a lease. The work then goes on ending by itself: the driver cancels the statement at the server, and
 * closes the session when that is not confirmed within 5 seconds. Until then nobody else gets the session.
 *
 * The time is the machine's, and not that of the fiber's clock: the server is real also where a test has a clock of its
 * own.
 *
 * Errors: the effect's own; a `ConnectionError` when the time is over.
 *
 * @param unconfirmed called when the work was given up or interrupted, and has not ended within {@link confirmTime}
 */
export const within =
  (time: Duration.Duration, unconfirmed: () => void = () => {}) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.callback<A, E | SqlError>((resume) => watch(Effect.runForkWith(context)(work), time, unconfirmed, resume))
    )

/** {@link within} the {@link StatementTime} of the context, or else the usual one. */
export const inTime =
  (usual: Duration.Duration, unconfirmed: () => void) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.flatMap(StatementTime, (time) => within(time ?? usual, unconfirmed)(work))

/** Reports how the work ends, or that it has not ended in time. Returns what ends it when nobody waits any more. */
const watch = <A, E>(
  fiber: Fiber.Fiber<A, E>,
  time: Duration.Duration,
  unconfirmed: () => void,
  resume: (effect: Effect.Effect<A, E | SqlError>) => void
): Effect.Effect<void> => {
  // Made when it is needed: an error takes longer than a statement.
  const late = Effect.suspend(() =>
    Effect.fail(unanswered("execute", `PostgreSQL has not answered within ${Duration.format(time)}`))
  )
  let isGivenUp = false
  let cancel = () => {}
  const stop = fiber.addObserver((exit) => {
    cancel()
    resume(isGivenUp ? late : exit)
  })
  if (fiber.pollUnsafe() !== undefined) return Effect.void

  const giveUp = () => {
    isGivenUp = true
    cancel = after(confirmTime, () => {
      stop()
      unconfirmed()
      resume(late)
    })
    fiber.interruptUnsafe()
  }
  cancel = after(time, () => {
    // After a pause of the event loop the answer may be there, and not read yet.
    const turn = setImmediate(giveUp)
    cancel = () => clearImmediate(turn)
  })
  return Effect.callback((ended) => {
    cancel()
    stop()
    cancel = after(confirmTime, () => {
      unconfirmed()
      ended(Effect.void)
    })
    fiber.addObserver(() => {
      cancel()
      ended(Effect.void)
    })
    fiber.interruptUnsafe()
  })
}

const after = (time: Duration.Duration, run: () => void): (() => void) => {
  const timer = setTimeout(run, Duration.toMillis(time))
  return () => clearTimeout(timer)
}
