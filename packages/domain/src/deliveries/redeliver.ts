import { tenantTopics } from "@portico/contract/Events"
import { NotFound } from "@portico/contract/Failures"
import { Deliveries } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { Effect, Schema } from "effect"
import { matches } from "./fanOut.ts"
import { deliveryRecord } from "./list.ts"

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

/**
 * Sends an event of the tenant's to a target once more, after the deliveries that wait for it: a new
 * series of attempts, with the same id. The event may be older than the target. While an earlier
 * redelivery of the event waits, that one is returned, so that a caller in a loop cannot fill the
 * queue with one event.
 *
 * Errors: 404 for an event that is not the tenant's, that tenants do not see, that the target is not
 * subscribed to, or that is no longer kept; `disabled` while the target is disabled.
 */
export const redeliverTo = Effect.fnUntraced(function* <E>(
  { project_id, ...target }: TargetEntry,
  event_id: string,
  disabled: () => Effect.Effect<never, E>
) {
  const deliveries = yield* Deliveries
  const event = isUuid(event_id) ? yield* deliveries.event(project_id, event_id) : undefined
  if (event === undefined || !isSeen(event.topic) || !matches(target, event)) return yield* NotFound.event(event_id)
  if (target.state !== "active") return yield* disabled()
  const row = yield* deliveries.again({ target_id: target.target_id, event_id, ...event, again: true })
  return deliveryRecord(row ?? (yield* disabled()))
})

/** The log holds more than what tenants see of themselves, such as the audit's records. */
const isSeen = (topic: string): boolean => tenantTopics.some((_) => _ === topic)
