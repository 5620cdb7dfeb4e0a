import type { JournalEntry } from "@portico/store/Journal"
import type { Attempt } from "./Step.ts"

/** A project tag may hold neither a comma nor a slash. */
export const attemptStamp = (attemptId: string): string => `portico-attempt:${attemptId}`

export const attemptOf = (entry: JournalEntry): Attempt => ({
  id: entry.attempt_id,
  slug: entry.slug,
  name: entry.name,
  tier: entry.tier,
  stamp: attemptStamp(entry.attempt_id),
  projectId: entry.project_id ?? undefined,
  owner: entry.owner ?? undefined
})
