import { type TenantTopic, tenantTopics } from "@portico/contract/Events"
import type { TargetEntry } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { isoOrNull } from "../isoOrNull.ts"
import { previousUntil } from "./secrets.ts"

/** The fields that webhooks and integrations have in common, as their tenant sees them. */
export const commonToWire = Effect.fnUntraced(function* (entry: TargetEntry) {
  const now = yield* DateTime.now
  const { rests_until } = entry
  const rests = rests_until !== null && DateTime.isGreaterThan(rests_until, now)
  return {
    topics: entry.topics.filter(isTopic),
    kinds: entry.kinds,
    enabled: entry.state === "active",
    disabled_reason: entry.disabled_reason,
    failures_in_a_row: entry.failures_in_a_row,
    failing_since: isoOrNull(entry.failing_since),
    rests_until: isoOrNull(rests ? rests_until : null),
    previous_secret_until: previousUntil(entry, now),
    created_by: entry.created_by,
    created_at: DateTime.formatIso(entry.created_at),
    updated_at: DateTime.formatIso(entry.updated_at)
  }
})

const isTopic = (topic: string): topic is TenantTopic => tenantTopics.some((_) => _ === topic)
