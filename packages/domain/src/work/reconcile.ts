import { Effect } from "effect"
import { orLogged } from "./orLogged.ts"

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
