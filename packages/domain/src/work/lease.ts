import { Fence } from "@portico/upstream/Fence"
import { Cause, type Context, Data, Duration, Effect } from "effect"
import { orLogged } from "./orLogged.ts"

/** How to give up a row that the caller holds. */
export interface Holding<B, R, S> {
  /** Names the row in the log. */
  readonly what: string
  /** Postpones the row after a defect of its step. */
  readonly broken: Effect.Effect<B, never, R>
  /** Releases the row and makes it due at once: this process stops, and another one takes the row over. */
  readonly interrupted: Effect.Effect<unknown, never, S>
}

/** Runs a step of a row that the caller holds, and releases the row after a defect or an interruption. */
export const underLease = <A, R1, B, R2, R3>(
  step: Effect.Effect<A, never, R1>,
  { broken, interrupted, what }: Holding<B, R2, R3>
) => Effect.onInterrupt(orLogged(step, `${what} is broken`, broken), () => interrupted)

/** Another process holds the row by now, or the row is gone. */
export class Lost extends Data.TaggedError("Lost") {}

/** A row that this process holds, as it last stored it. */
export interface Held<Row, Change> {
  readonly entry: () => Row
  /** Stores a change. */
  keep(change: Change): Effect.Effect<void, Lost>
  /** Stores another change, by the row. */
  through(write: (row: Row) => Effect.Effect<Row | undefined>): Effect.Effect<void, Lost>
}

/** @param keep stores a change and renews the lease; undefined when the lease was lost */
export const heldBy = <Row, Change>(
  claimed: Row,
  keep: (row: Row, change: Change) => Effect.Effect<Row | undefined>
): Held<Row, Change> => {
  let entry = claimed
  const through: Held<Row, Change>["through"] = (write) =>
    Effect.flatMap(
      Effect.suspend(() => write(entry)),
      (next) => (next === undefined ? Effect.fail(new Lost()) : Effect.sync(() => void (entry = next)))
    )
  return { entry: () => entry, keep: (change) => through((row) => keep(row, change)), through }
}

/** The renewal of one lease. */
export interface Renewal<E, R> {
  /** Names the lease in the log. */
  readonly what: string
  readonly interval: Duration.Duration
  readonly renew: Effect.Effect<unknown, E, R>
}

/**
 * Renews a lease at each interval while the work runs. A failure of the renewal ends the work. A defect, such as a
 * database that does not answer, is logged: the lease lasts for several intervals.
 *
 * Alone it is for an API call whose renewal reports no loss: an interruption would leave the call half done, and its
 * client without an answer. What the call writes to its row after a loss changes nothing.
 */
export const renewingEvery =
  <E2, R2>({ interval, renew, what }: Renewal<E2, R2>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R | R2> => {
    const renewed = Effect.catchCause(renew, (cause) =>
      Cause.hasFails(cause) ? Effect.failCause(cause) : Effect.logWarning(`${what} could not be renewed`, cause)
    )
    return Effect.raceFirst(work, Effect.forever(Effect.delay(renewed, interval)))
  }

/** Less than half of every lease that is renewed. */
const renewalInterval = Duration.seconds(30)

/**
 * Renews a lease while the step runs, however long it takes. A renewal that fails, because another process holds the
 * lease by now, ends the step. Before each write to an upstream it is renewed as well: after a machine has stood still,
 * nothing else ends the step before its next call.
 */
export const renewing =
  <E2, R2>(renew: Effect.Effect<unknown, E2, R2>) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R | R2> => {
    const held = Effect.match(renew, { onSuccess: () => true, onFailure: () => false })
    const fenced = Effect.contextWith((context: Context.Context<R2>) =>
      Effect.provideService(step, Fence, Effect.provideContext(held, context))
    )
    return renewingEvery({ what: "a lease", interval: renewalInterval, renew })(fenced)
  }
