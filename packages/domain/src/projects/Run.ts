import type { PurgeStep } from "@portico/contract/Projects"
import { type PurgeChange, type PurgeEntry, Purges } from "@portico/store/Purges"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Data, Effect } from "effect"

/** A service refused, and would refuse again. */
export class Refused extends Data.TaggedError("Refused")<{ readonly step: string; readonly words: string }> {}

/** A transient failure; what was done stays done. */
export class Paused extends Data.TaggedError("Paused")<{ readonly step: string; readonly words: string }> {}

/** The deletion was cancelled. */
export class Cancelled extends Data.TaggedError("Cancelled") {}

/** Another process holds the purge by now. */
export class Lost extends Data.TaggedError("Lost") {}

export type Stop = Refused | Paused | Cancelled | Lost

/** A purge under way in this process: its row as it was last written. */
export interface Run {
  readonly projectId: string
  /** The row as this process claimed it. */
  readonly claimed: PurgeEntry
  readonly entry: () => PurgeEntry
  /** Writes a change to the row and renews the lease. */
  keep(change: PurgeChange): Effect.Effect<void, Lost>
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
  let held = claimed

  const keep = (change: PurgeChange) =>
    Effect.flatMap(purges.keep(held, change), (next): Effect.Effect<void, Lost> => {
      if (next === undefined) return Effect.fail(new Lost())
      held = next
      return Effect.void
    })

  const run: Run = {
    projectId: claimed.project_id,
    claimed,
    entry: () => held,
    keep,
    boundary: Effect.suspend(() => keep({})).pipe(
      Effect.andThen(Effect.suspend(() => (held.cancelled ? Effect.fail(new Cancelled()) : Effect.void)))
    ),
    passReturn: Effect.flatMap(
      Effect.suspend(() => purges.passReturn(held)),
      (next): Effect.Effect<void, Lost | Cancelled> => {
        if (next !== undefined) {
          held = next
          return Effect.void
        }
        // Either the deletion was cancelled, or this process has lost the row, which the write shows.
        return Effect.andThen(keep({}), Effect.fail(new Cancelled()))
      }
    ),
    advance: (step, to) => Effect.suspend(() => keep({ progress: advanced(held.progress, step, to) }))
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
      ? new Paused({ step, words: error.sentence })
      : new Refused({ step, words: error.sentence })
