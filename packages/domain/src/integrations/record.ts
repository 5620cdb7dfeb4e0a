import { type TenantTopic, tenantTopics } from "@portico/contract/Events"
import type { Integration } from "@portico/contract/Integrations"
import type { TargetEntry } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { isoOrNull } from "../isoOrNull.ts"
import { isIntegration } from "./kinds.ts"
import { recipientsOf, shownEndpointOf } from "./settings.ts"

/** An integration as its tenant sees it, without a channel's secret address or the values of headers. */
export const integrationRecord = Effect.fnUntraced(function* (entry: TargetEntry) {
  if (!isIntegration(entry)) return yield* Effect.die(`the target ${entry.target_id} is no integration`)
  const endpoint = entry.kind === "email" ? undefined : yield* shownEndpointOf(entry)
  const recipients = entry.kind === "email" ? yield* recipientsOf(entry) : undefined
  const now = yield* DateTime.now
  const rests = entry.rests_until !== null && DateTime.isGreaterThan(entry.rests_until, now)
  return {
    integration_id: entry.target_id,
    kind: entry.kind,
    name: entry.name ?? "",
    recipients: recipients?.map(({ address, confirmed_at }) => ({ address, confirmed_at })) ?? null,
    url: endpoint?.url ?? null,
    headers: entry.kind === "generic" ? (endpoint?.headers ?? []) : null,
    topics: entry.topics.filter(isTopic),
    kinds: entry.kinds,
    enabled: entry.state === "active",
    disabled_reason: entry.disabled_reason,
    failures_in_a_row: entry.failures_in_a_row,
    failing_since: isoOrNull(entry.failing_since),
    rests_until: isoOrNull(rests ? entry.rests_until : null),
    created_by: entry.created_by,
    created_at: DateTime.formatIso(entry.created_at),
    updated_at: DateTime.formatIso(entry.updated_at)
  } satisfies Integration
})

const isTopic = (topic: string): topic is TenantTopic => tenantTopics.some((_) => _ === topic)
