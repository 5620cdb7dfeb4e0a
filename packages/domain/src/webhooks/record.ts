import type { TenantTopic } from "@portico/contract/Events"
import { tenantTopics } from "@portico/contract/Events"
import type { Webhook } from "@portico/contract/Webhooks"
import type { TargetEntry } from "@portico/store/Targets"
import { DateTime } from "effect"
import { isoOrNull } from "../isoOrNull.ts"

/** A webhook as its tenant sees it, without its secret. */
export const webhookRecord = (entry: TargetEntry, now: DateTime.Utc): Webhook => ({
  webhook_id: entry.target_id,
  url: urlOf(entry),
  description: entry.name,
  topics: entry.topics.filter(isTopic),
  kinds: entry.kinds,
  enabled: entry.state === "active",
  disabled_reason: entry.disabled_reason,
  failures_in_a_row: entry.failures_in_a_row,
  failing_since: isoOrNull(entry.failing_since),
  rests_until: isoOrNull(isLater(entry.rests_until, now) ? entry.rests_until : null),
  previous_secret_until: previousUntil(entry, now),
  created_by: entry.created_by,
  created_at: DateTime.formatIso(entry.created_at),
  updated_at: DateTime.formatIso(entry.updated_at)
})

export const urlOf = ({ settings }: Pick<TargetEntry, "settings">): string => {
  const url = settings["url"]
  return typeof url === "string" ? url : ""
}

const isTopic = (topic: string): topic is TenantTopic => tenantTopics.some((_) => _ === topic)

const isLater = (moment: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  moment !== null && DateTime.isGreaterThan(moment, now)

const previousUntil = ({ secrets }: TargetEntry, now: DateTime.Utc): string | null => {
  const ends = secrets.flatMap(({ ends_at }) => ends_at ?? []).filter((_) => isLater(DateTime.makeUnsafe(_), now))
  return ends.toSorted().at(-1) ?? null
}
