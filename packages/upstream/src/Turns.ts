import { Deferred, type Duration, Effect, PartitionedSemaphore, RcMap, Scope, Semaphore } from "effect"

/** Work that only a few do at once: so many of each owner, and so many in all. The rest waits in order; owners take turns. */
export interface Turns {
  /** Fails with `late` when the work has not begun after the longest wait. */
  inTurn<E>(
    owner: string,
    late: Effect.Effect<never, E>
  ): <A, E2, R>(work: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
}

export const turnsOf = Effect.fnUntraced(function* (options: {
  readonly ofOne: number
  readonly inAll: number
  readonly longestWait: Duration.Duration
}) {
  const { inAll, longestWait, ofOne } = options
  const all = yield* PartitionedSemaphore.make<string>({ permits: inAll })
  const own = yield* RcMap.make({ lookup: (_: string) => Semaphore.make(ofOne) })
  const turns: Turns = {
    inTurn: (owner, late) => (work) =>
      Effect.flatMap(Deferred.make<void>(), (begun) =>
        Effect.raceFirst(
          // The owner's own permit first: an owner with many calls must not hold those that all share.
          Effect.scopedWith((scope) =>
            Effect.flatMap(RcMap.get(own, owner).pipe(Scope.provide(scope)), (mine) =>
              mine.withPermit(all.withPermit(owner)(Effect.andThen(Deferred.succeed(begun, undefined), work)))
            )
          ),
          Effect.andThen(
            Effect.timeoutOrElse(Deferred.await(begun), { duration: longestWait, orElse: () => late }),
            Effect.never
          )
        )
      )
  }
  return turns
})
