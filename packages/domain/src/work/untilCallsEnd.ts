import { Effect, Exit, Fiber } from "effect"

/**
 * Runs work and never interrupts its upstream calls: an interrupted call may take effect later,
 * after the undo has already looked for it. When the client disconnects, `isUnwanted` returns true;
 * the work then starts no further call, and this function waits for its end. Use it in an
 * uninterruptible region.
 *
 * @param restore makes the wait interruptible
 */
export const untilCallsEnd = Effect.fnUntraced(function* <A, E, R>(
  restore: <B>(waiting: Effect.Effect<B>) => Effect.Effect<B>,
  work: (isUnwanted: () => boolean) => Effect.Effect<A, E, R>
) {
  let isUnwanted = false
  const fiber = yield* Effect.forkChild(work(() => isUnwanted))
  isUnwanted = Exit.isFailure(yield* Effect.exit(restore(Fiber.await(fiber))))
  return { exit: yield* Fiber.await(fiber), isUnwanted }
})
