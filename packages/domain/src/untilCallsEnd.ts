import { Effect, Exit, Fiber } from "effect"

/**
 * Runs work whose upstream calls are never cut off: a call that is cut off may
 * take effect later, when what undoes the work has looked already. A client
 * that hangs up only makes the work unwanted. The work then begins nothing
 * more, and its end is waited for. For use in an uninterruptible region.
 *
 * @param restore what makes the waiting interruptible
 */
export const untilCallsEnd = Effect.fnUntraced(function* <A, E, R>(
  restore: <B>(waiting: Effect.Effect<B>) => Effect.Effect<B>,
  work: (isUnwanted: () => boolean) => Effect.Effect<A, E, R>
) {
  let isUnwanted = false
  const going = yield* Effect.forkChild(work(() => isUnwanted))
  isUnwanted = Exit.isFailure(yield* Effect.exit(restore(Fiber.await(going))))
  return { exit: yield* Fiber.await(going), isUnwanted }
})
