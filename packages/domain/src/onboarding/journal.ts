import type { OnboardingRow } from "@portico/contract/Journal"
import { Journal, type JournalEntry } from "@portico/store/Journal"
import { DateTime, Effect } from "effect"

/** The onboardings that are neither complete nor removed, oldest first: what is stuck, and why. */
export const listJournal = Effect.fn("onboard.listJournal")(function* () {
  const onboardings = (yield* (yield* Journal).list).map(row)
  return { count: onboardings.length, onboardings }
})

const row = (entry: JournalEntry): OnboardingRow => ({
  attempt_id: entry.attempt_id,
  name: entry.name,
  slug: entry.slug,
  tier: entry.tier,
  state: entry.state,
  steps: entry.steps.map((step) => ({ step, done: entry.done.includes(step) })),
  failure: entry.failure,
  left: entry.left_behind,
  withdrawals: entry.withdrawals,
  started_at: DateTime.formatIso(entry.started_at),
  lease_ends: DateTime.formatIso(entry.lease_ends)
})
