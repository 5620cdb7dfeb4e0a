import { Cause, Effect } from "effect"

/** Rows of one kind that are due, see `store/leased`. */
export interface Due<Row, R, E, S> {
  /** What one of them is, in the log. */
  readonly what: string
  /** Takes rows that are due; each goes to one process, over all replicas. */
  readonly claim: Effect.Effect<ReadonlyArray<Row>, never, R>
  /** How many a claim takes at most; all of them without it. */
  readonly batch?: number
  readonly concurrency?: number
  /**
   * Observes what there is, plans what has to change, and applies that. It may
   * be cut off anywhere, and is then taken up by the next holder of the row;
   * whatever it fails with is logged, and the row is due again when its lease
   * ends, unless the step has put it off or let go of it.
   */
  readonly step: (row: Row) => Effect.Effect<unknown, E, S>
}

/**
 * Brings what is due one step nearer to what is wanted of it, until a claim
 * finds fewer rows than it may take. Every replica runs it. A row that fails
 * takes nothing from the others.
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
    const safely = (row: Row) => orLogged(Effect.ignore(step(row), { log: "Warn" }), `${what} is broken`, oneMore)
    yield* Effect.forEach(rows, safely, { concurrency, discard: true })
    worked += rows.length
    if (rows.length >= (batch ?? Infinity)) continue
    // The job has failed, so that its metrics and readiness show what no operator may read in the log.
    return broken === 0 ? worked : yield* Effect.die(new Error(`${what} is broken, ${broken} times`))
  }
})

/** What becomes of a row that the caller holds. */
export interface Holding<B, R, S> {
  /** What the row is, in the log. */
  readonly what: string
  /** Puts the row off: its step is broken. */
  readonly broken: Effect.Effect<B, never, R>
  /** Lets go of the row, due at once: this process stops, and another one takes it up. */
  readonly interrupted: Effect.Effect<unknown, never, S>
}

/** A step of a row that the caller holds, which leaves the row to the next one however it ends. */
export const underLease = <A, R1, B, R2, R3>(
  step: Effect.Effect<A, never, R1>,
  { broken, interrupted, what }: Holding<B, R2, R3>
) => Effect.onInterrupt(orLogged(step, `${what} is broken`, broken), () => interrupted)

/** Logs what is broken, and goes on otherwise. An interruption stays one: a process that stops has not failed. */
export const orLogged = <A, R, B, E2, R2>(
  effect: Effect.Effect<A, never, R>,
  message: string,
  otherwise: Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E2, R | R2> =>
  Effect.catchCause(effect, (cause): Effect.Effect<B, E2, R2> =>
    Cause.hasInterrupts(cause) ? Effect.failCause(cause) : Effect.andThen(Effect.logError(message, cause), otherwise)
  )
