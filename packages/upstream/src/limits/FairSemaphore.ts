import { Deferred, type Duration, Effect, PartitionedSemaphore, RcMap, Scope, Semaphore } from "effect"

/** Permits for work that only a few do at once: so many of each owner, and so many in all. The rest waits in order; owners take turns. */
export interface FairSemaphore {
  /** Fails with `late` when the work has not begun after the longest wait. */
  withPermit<E>(
    owner: string,
    late: Effect.Effect<never, E>
  ): <A, E2, R>(work: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
}

export const fairSemaphore = Effect.fnUntraced(function* (options: {
  readonly ofOne: number
  readonly inAll: number
  readonly longestWait: Duration.Duration
}) {
  const { inAll, longestWait, ofOne } = options
  const all = yield* PartitionedSemaphore.make<string>({ permits: inAll })
  const own = yield* RcMap.make({ lookup: (_: string) => Semaphore.make(ofOne) })
  const semaphore: FairSemaphore = {
    withPermit: (owner, late) => (work) =>
      begunWithin(longestWait, late, work, (begun) =>
        // The owner's own permit first: an owner with many calls must not hold those that all share.
        Effect.scopedWith((scope) =>
          Effect.flatMap(RcMap.get(own, owner).pipe(Scope.provide(scope)), (mine) =>
            mine.withPermit(all.withPermit(owner)(begun))
          )
        )
      )
  }
  return semaphore
})

/**
 * Does something else when the work has not begun after the longest wait.
 *
 * @param permitted has the work wait for a permit
 */
export const begunWithin = <A, E, R, E2>(
  longestWait: Duration.Duration,
  orElse: Effect.Effect<never, E2>,
  work: Effect.Effect<A, E, R>,
  permitted: (work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | E2, R> =>
  Effect.flatMap(Deferred.make<void>(), (begun) =>
    Effect.raceFirst(
      permitted(Effect.andThen(Deferred.succeed(begun, undefined), work)),
      Effect.andThen(
        Effect.timeoutOrElse(Deferred.await(begun), { duration: longestWait, orElse: () => orElse }),
        Effect.never
      )
    )
  )
