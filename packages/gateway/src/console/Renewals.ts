import { hashOf } from "@portico/domain/access/PresentedToken"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Clock, Deferred, Effect, Exit, FiberSet, type Redacted } from "effect"

/** What a refresh token was exchanged for. */
export interface Renewed {
  readonly accessToken: Redacted.Redacted
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** The next one; the same where the provider does not rotate them. */
  readonly refreshToken: Redacted.Redacted
}

/** How long the answer to a renewal is shared, in milliseconds. */
const shared = 30_000
const capacity = 10_000

/**
 * Renewals of sessions. A provider takes a refresh token once, and two tabs of a browser renew with the same one: the
 * first renewal answers both, also when the second comes a moment later. A renewal runs to its end when its client has
 * disconnected, because its refresh token exists nowhere else.
 */
export interface Renewals<E> {
  /** Joins the renewal with this token, or starts one. A refusal is shared too; a failure is not. */
  get(token: Redacted.Redacted, renewal: Effect.Effect<Renewed | undefined, E>): Effect.Effect<Renewed | undefined, E>
  /**
   * Ends the session: from now on, both this token and what it was exchanged for are answered as refused, also to whoever
   * waits for a renewal. Gives the token to revoke, the last of them; undefined where the provider has refused it, or a
   * logout was there before.
   */
  end(token: Redacted.Redacted): Effect.Effect<Redacted.Redacted | undefined>
}

export const renewals = Effect.fnUntraced(function* <E>() {
  const clock = yield* Clock.Clock
  const flights = new TtlCache<Deferred.Deferred<Renewed | undefined, E>>(capacity)
  /** Stands in the place of a renewal after a logout. */
  const ended = Deferred.makeUnsafe<Renewed | undefined, E>()
  Deferred.doneUnsafe(ended, Exit.succeed(undefined))
  const fibers = yield* FiberSet.make<void, never>()
  yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(fibers))

  const start = (key: string, renewal: Effect.Effect<Renewed | undefined, E>) =>
    Effect.uninterruptibleMask((restore) => {
      const flight = Deferred.makeUnsafe<Renewed | undefined, E>()
      const keep = () => flights.keep(key, flight, clock.currentTimeMillisUnsafe() + shared)
      keep()
      const work = Effect.map(Effect.exit(Effect.interruptible(renewal)), (exit) => {
        // Not one that a logout has forgotten meanwhile.
        if (flights.get(key, 0) === flight) {
          if (Exit.isSuccess(exit)) keep()
          else flights.forget(key)
        }
        Deferred.doneUnsafe(flight, exit)
      })
      return Effect.andThen(FiberSet.run(fibers, work), restore(Deferred.await(flight)))
    })

  const found = (token: Redacted.Redacted) => flights.get(hashOf(token), clock.currentTimeMillisUnsafe())

  const end = Effect.fnUntraced(function* (token: Redacted.Redacted) {
    let last = token
    for (;;) {
      const key = hashOf(last)
      const flight = found(last)
      flights.keep(key, ended, clock.currentTimeMillisUnsafe() + shared)
      if (flight === undefined) return last
      const exit = yield* Effect.exit(Deferred.await(flight))
      if (Exit.isFailure(exit)) return last
      if (exit.value === undefined) return undefined
      // A provider that rotates none has given the same one.
      if (hashOf(exit.value.refreshToken) === key) return last
      last = exit.value.refreshToken
    }
  })

  return {
    get: (token, renewal) =>
      Effect.suspend(() => {
        const known = found(token)
        return known === undefined ? start(hashOf(token), renewal) : Deferred.await(known)
      }).pipe(Effect.map((renewed) => (found(token) === ended ? undefined : renewed))),
    end
  } satisfies Renewals<E>
})
