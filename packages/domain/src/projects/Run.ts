import type { PurgeStep } from "@portico/contract/Projects"
import { type PurgeChange, type PurgeEntry, Purges } from "@portico/store/Purges"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Data, Effect } from "effect"

/** Somebody refused, and will refuse again. */
export class Refused extends Data.TaggedError("Refused")<{ readonly step: string; readonly words: string }> {}

/** Something failed that may pass; what was done stays done. */
export class Paused extends Data.TaggedError("Paused")<{ readonly step: string; readonly words: string }> {}

/** Somebody wants the project back. */
export class Cancelled extends Data.TaggedError("Cancelled") {}

/** The work is another process's by now. */
export class Lost extends Data.TaggedError("Lost") {}

export type Stop = Refused | Paused | Cancelled | Lost

/** A purge under way in this process: its row as it was last written. */
export interface Run {
  readonly projectId: string
  /** As it was when this process took it up. */
  readonly claimed: PurgeEntry
  readonly entry: () => PurgeEntry
  /** Writes it down, and holds the lease for another while. */
  keep(change: PurgeChange): Effect.Effect<void, Lost>
  /** Between two steps: whether to go on. */
  readonly boundary: Effect.Effect<void, Lost | Cancelled>
  /** From here on it cannot be cancelled. */
  readonly passReturn: Effect.Effect<void, Lost | Cancelled>
  /** Changes one line of the progress; a step that is new stands at the end. */
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
        // Either was it cancelled, or it is no longer ours, which the next look tells.
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

/** Trying again may help; anything else is a refusal. */
export const stopAt =
  (step: string) =>
  (error: UpstreamError): Refused | Paused =>
    error.transient || error.status === null || error.status < 300
      ? new Paused({ step, words: error.sentence })
      : new Refused({ step, words: error.sentence })
