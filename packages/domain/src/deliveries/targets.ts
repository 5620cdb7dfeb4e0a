import { type Event, type TenantTopic, tenantTopics, webhookTopic } from "@portico/contract/Events"
import type { TargetTest } from "@portico/contract/Targets"
import { Deliveries } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { isoOrNull } from "../isoOrNull.ts"
import { messageOf } from "./message.ts"
import { trySending } from "./serve.ts"

/** The fields that webhooks and integrations have in common, as their tenant sees them. */
export const commonToWire = (entry: TargetEntry, now: DateTime.Utc) => ({
  topics: entry.topics.filter(isTopic),
  kinds: entry.kinds,
  enabled: entry.state === "active",
  disabled_reason: entry.disabled_reason,
  failures_in_a_row: entry.failures_in_a_row,
  failing_since: isoOrNull(entry.failing_since),
  rests_until: isoOrNull(isLater(entry.rests_until, now) ? entry.rests_until : null),
  created_by: entry.created_by,
  created_at: DateTime.formatIso(entry.created_at),
  updated_at: DateTime.formatIso(entry.updated_at)
})

/**
 * Whether a change may make a target send more events than before, or to another address. `of_agent` of the target then
 * says whether an agent asked for it.
 */
export const sendsMore = ({ enabled, ...destination }: { readonly [field: string]: unknown }): boolean =>
  enabled === true || Object.values(destination).some((_) => _ !== undefined)

const isTopic = (topic: string): topic is TenantTopic => tenantTopics.some((_) => _ === topic)

export const isLater = (moment: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  moment !== null && DateTime.isGreaterThan(moment, now)

/**
 * Sends a ping now, once, also to a disabled target. It is not an event of the log, and does not
 * count as a success or a failure of the target. It is in the list of the target's deliveries.
 */
export const sendPing = Effect.fnUntraced(function* (target: TargetEntry, ping: Pick<Event, "kind" | "data">) {
  const id = randomUUID()
  const at = DateTime.formatIso(yield* DateTime.now)
  const message = messageOf({
    ...ping,
    id,
    at,
    topic: webhookTopic,
    key: target.target_id,
    project_id: target.project_id
  })
  if (message === undefined) return yield* Effect.die("a ping is no event")
  const { attempt } = yield* trySending(target, message)
  const { duration_ms, error, status } = attempt
  const { target_id } = target
  const delivery = { target_id, event_id: id, topic: webhookTopic, kind: ping.kind, again: false }
  yield* (yield* Deliveries).addSent(delivery, attempt)
  return { event_id: id, delivered: error === null, status, duration_ms, error } satisfies TargetTest
})
