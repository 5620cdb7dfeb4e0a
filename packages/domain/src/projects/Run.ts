import type { PurgeStep } from "@portico/contract/Projects"
import { type PurgeChange, type PurgeEntry, Purges } from "@portico/store/Purges"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Data, Effect } from "effect"
import { heldBy, Lost } from "../work/lease.ts"

/** A service refused, and would refuse again. */
export class Refused extends Data.TaggedError("Refused")<{ readonly step: string; readonly message: string }> {}

/** A transient failure; what was done stays done. */
export class Paused extends Data.TaggedError("Paused")<{ readonly step: string; readonly message: string }> {}

/** The deletion was cancelled. */
export class Cancelled extends Data.TaggedError("Cancelled") {}

export type Stop = Refused | Paused | Cancelled | Lost

/** A purge under way in this process: its row as it was last written. */
export interface Run {
  readonly projectId: string
  /** The row as this process claimed it. */
  readonly claimed: PurgeEntry
  readonly entry: () => PurgeEntry
  /** Writes a change to the row and renews the lease. */
  keep(change: PurgeChange): Effect.Effect<void, Lost>
  /** Renews the lease, beside any other call of this interface. */
  readonly renewal: Effect.Effect<void, Lost>
  /** Runs between two steps: fails when the purge was cancelled or lost. */
  readonly boundary: Effect.Effect<void, Lost | Cancelled>
  /** Passes the point of no return: after it, the deletion cannot be cancelled. */
  readonly passReturn: Effect.Effect<void, Lost | Cancelled>
  /** Changes one line of the progress; a new step is appended. */
  advance(step: string, to: Partial<Omit<PurgeStep, "step">>): Effect.Effect<void, Lost>
}

/** @param claimed a row whose lease the caller holds */
export const runOf = Effect.fnUntraced(function* (claimed: PurgeEntry) {
  const purges = yield* Purges
  const { entry, keep, through } = heldBy(claimed, purges.keep)
  const isCancelled = Effect.suspend(() => (entry().cancelled ? Effect.fail(new Cancelled()) : Effect.void))

  const run: Run = {
    projectId: claimed.project_id,
    claimed,
    entry,
    keep,
    renewal: Effect.flatMap(
      Effect.suspend(() => purges.keep(entry(), {})),
      (next) => (next === undefined ? Effect.fail(new Lost()) : Effect.void)
    ),
    boundary: Effect.andThen(keep({}), isCancelled),
    // Either the deletion was cancelled, or this process has lost the row, which the write shows.
    passReturn: Effect.catchTag(through(purges.passReturn), "Lost", () =>
      Effect.andThen(keep({}), Effect.fail(new Cancelled()))
    ),
    advance: (step, to) => Effect.suspend(() => keep({ progress: advanced(entry().progress, step, to) }))
  }
  return run
})

const advanced = (
  progress: ReadonlyArray<PurgeStep>,
  step: string,
  to: Partial<Omit<PurgeStep, "step">>
): ReadonlyArray<PurgeStep> => {
  const known = progress.find((_) => _.step === step)
  const next: PurgeStep = { state: "waiting", done: 0, left: null, ...known, ...to, step }
  return known === undefined ? [...progress, next] : progress.map((_) => (_.step === step ? next : _))
}

/** A transient failure pauses the purge; every other one is a refusal. */
export const stopAt =
  (step: string) =>
  (error: UpstreamError): Refused | Paused =>
    error.transient || error.status === null || error.status < 300
      ? new Paused({ step, message: error.summary })
      : new Refused({ step, message: error.summary })
