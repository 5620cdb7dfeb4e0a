import { Fence } from "@portico/upstream/Fence"
import { Cause, type Context, Data, Duration, Effect } from "effect"

/** Due rows of one kind, see `store/leased`. */
export interface Due<Row, R, E, S> {
  /** Names one row in the log. */
  readonly what: string
  /** Claims due rows; across all replicas each row goes to one process. */
  readonly claim: Effect.Effect<ReadonlyArray<Row>, never, R>
  /** The most rows that one claim takes; without it a claim takes all due rows. */
  readonly batch?: number
  readonly concurrency?: number
  /**
   * Observes the actual state, plans the changes and applies them. The step may be cut off at any
   * point; the next holder of the row then repeats it. A failure is logged, and the row is due
   * again when its lease ends, unless the step has postponed or released it.
   */
  readonly step: (row: Row) => Effect.Effect<unknown, E, S>
}

/**
 * Runs one step for each due row, until a claim returns fewer rows than its batch. Any replica
 * may run it. The failure of one row does not affect the others.
 *
 * @returns how many rows it worked on; a defect at the end, when a step had one
 */
export const reconcile = Effect.fnUntraced(function* <Row, R, E, S>({
  batch,
  claim,
  concurrency,
  step,
  what
}: Due<Row, R, E, S>) {
  let broken = 0
  const oneMore = Effect.sync(() => (broken += 1))
  for (let worked = 0; ;) {
    const rows = yield* claim
    const failed = { log: "Warn", message: `${what} failed, and is tried again` } as const
    const safely = (row: Row) => orLogged(Effect.ignore(step(row), failed), `${what} is broken`, oneMore)
    yield* Effect.forEach(rows, safely, { concurrency, discard: true })
    worked += rows.length
    if (rows.length >= (batch ?? Infinity)) continue
    // The job has failed, so that its metrics and readiness show what no operator may read in the log.
    return broken === 0 ? worked : yield* Effect.die(new Error(`${what} is broken, ${broken} times`))
  }
})

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

/** Less than half of every lease that is renewed. */
const renewalInterval = Duration.seconds(30)

/**
 * Renews a lease while the step runs, however long it takes. A renewal that fails, because another process holds the
 * lease by now, ends the step; a defect of one does not. Before each write to an upstream it is renewed as well: after
 * a machine has stood still, nothing else ends the step before its next call.
 */
export const renewing =
  <E2, R2>(renewal: Effect.Effect<unknown, E2, R2>) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R | R2> => {
    const renewed = Effect.catchDefect(renewal, (defect) => Effect.logWarning("a lease could not be renewed", defect))
    const held = Effect.match(renewal, { onSuccess: () => true, onFailure: () => false })
    const fenced = Effect.contextWith((context: Context.Context<R2>) =>
      Effect.provideService(step, Fence, Effect.provideContext(held, context))
    )
    return Effect.raceFirst(fenced, Effect.forever(Effect.delay(renewed, renewalInterval)))
  }

/**
 * Logs a defect and continues with `otherwise`. It passes an interruption on, because a process
 * that stops has not failed.
 */
export const orLogged = <A, R, B, E2, R2>(
  effect: Effect.Effect<A, never, R>,
  message: string,
  otherwise: Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E2, R | R2> =>
  Effect.catchCause(effect, (cause): Effect.Effect<B, E2, R2> =>
    Cause.hasInterrupts(cause) ? Effect.failCause(cause) : Effect.andThen(Effect.logError(message, cause), otherwise)
  )
