import type { JournalEntry } from "@portico/store/Journal"
import { attemptStamp } from "@portico/upstream/keystone/Keystone"
import type { Attempt } from "./Step.ts"

export const attemptOf = (entry: JournalEntry): Attempt => ({
  id: entry.attempt_id,
  slug: entry.slug,
  name: entry.name,
  tier: entry.tier,
  stamp: attemptStamp(entry.attempt_id),
  projectId: entry.project_id ?? undefined,
  owner: entry.owner ?? undefined
})
