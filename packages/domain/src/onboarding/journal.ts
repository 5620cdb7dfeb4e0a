import { withWords } from "@portico/contract/formerWords"
import type { OnboardingRow, OnboardingState } from "@portico/contract/Journal"
import { type PageRequest, pageRequestOf } from "@portico/contract/Page"
import { Journal, type JournalEntry } from "@portico/store/Journal"
import { DateTime, Effect } from "effect"
import { pageOfAll } from "../pageOfAll.ts"
import type { Step } from "./Step.ts"
import { listedSteps } from "./withdraw.ts"

/**
 * The onboardings that are neither complete nor removed, oldest first: where each is, and what is
 * stuck, and why.
 */
export const listJournal = Effect.fn("onboard.listJournal")(function* (
  page: PageRequest = pageRequestOf({}),
  state?: OnboardingState
) {
  const known = yield* listedSteps
  const all = yield* (yield* Journal).list
  const { count, next_cursor, rows } = pageOfAll(
    all.filter((_) => state === undefined || _.state === state),
    page,
    (_) => ({ at: DateTime.toEpochMillis(_.started_at), id: _.attempt_id })
  )
  return { count, next_cursor, onboardings: rows.map((_) => toWire(_, known)) }
})

const toWire = (entry: JournalEntry, known: Known): OnboardingRow => ({
  attempt_id: entry.attempt_id,
  name: entry.name,
  slug: entry.slug,
  tier: entry.tier,
  state: entry.state,
  steps: entry.steps.map((step) => ({ step, done: entry.done.includes(step) })),
  step: stepOf(entry, known),
  failure: entry.failure,
  left: entry.left_behind.map(withWords),
  withdrawals: entry.withdrawals,
  started_at: DateTime.formatIso(entry.started_at),
  lease_ends: DateTime.formatIso(entry.lease_ends)
})

type Known = ReadonlyArray<Pick<Step<unknown, unknown>, "name" | "needs">>

/** The first of the steps that run or are being withdrawn; null when none does. */
const stepOf = (entry: JournalEntry, known: Known): string | null => {
  // A resting entry that is checked once more has a lease.
  if (entry.state === "running") return runningOf(entry, known)
  return entry.state === "stuck" || entry.lease === null ? null : withdrawingOf(entry, known)
}

/** A step runs as soon as the steps that it needs are done, and the last one after all others. */
const runningOf = ({ done, steps }: JournalEntry, known: Known): string | null => {
  const isReady = (step: string): boolean =>
    step === steps.at(-1)
      ? steps.every((_) => _ === step || done.includes(_))
      : (known.find((_) => _.name === step)?.needs.every((_) => done.includes(_)) ?? false)
  return steps.find((_) => !done.includes(_) && isReady(_)) ?? null
}

/** A step is withdrawn as soon as the undo of every step that needs it has ended. */
const withdrawingOf = ({ steps, withdrawn }: JournalEntry, known: Known): string | null => {
  const isWaiting = (step: string): boolean => !withdrawn.includes(step) && known.some((_) => _.name === step)
  const isFree = (step: string): boolean =>
    known.every((_) => !_.needs.includes(step) || !steps.includes(_.name) || withdrawn.includes(_.name))
  return steps.findLast((_) => isWaiting(_) && isFree(_)) ?? null
}
