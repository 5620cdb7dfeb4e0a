import { Duration, Effect, type Semaphore } from "effect"
import { within } from "./inTime.ts"

/** As long as a statement may wait for the lock: the turns before this one may all wait for a lock that is held. */
const waitTime = Duration.seconds(5)

/** Runs effects one after the other. Waiting too long for the turn is a defect, as a database that does not answer is. */
export const inTurn =
  (queue: Semaphore.Semaphore) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.orDie(within(waitTime)(queue.take(1))),
      () => effect,
      () => queue.release(1)
    )
