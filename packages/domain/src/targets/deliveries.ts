import { tenantTopics } from "@portico/contract/Events"
import { NotFound } from "@portico/contract/Failures"
import { type PageRequest, pageOf } from "@portico/contract/Page"
import type { Delivery } from "@portico/contract/Targets"
import { Deliveries, type DeliveryRow } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { DateTime, Effect, Schema } from "effect"
import { matches } from "../deliveries/fanOut.ts"
import { isoOrNull } from "../isoOrNull.ts"

/** A missing state keeps all. */
export type DeliveryFilter = { readonly state?: Delivery["state"] }

/** A target's deliveries of the last 30 days, sent or waiting, newest first; the same on every replica. */
export const listDeliveries = Effect.fn("deliveries.list")(function* (
  targetId: string,
  page: PageRequest,
  { state }: DeliveryFilter
) {
  const deliveries = yield* Deliveries
  const { count, found } = yield* Effect.all(
    {
      count: deliveries.count(targetId, state),
      found: deliveries.page(targetId, page.after?.at, page.limit + 1, state)
    },
    { concurrency: 2 }
  )
  // A delivery's number is its position; the cursor has it in place of a timestamp.
  const { next_cursor, rows } = pageOf(found, page, (_) => ({ at: _.number, id: _.delivery_id }))
  return { count, next_cursor, deliveries: rows.map(deliveryRecord) }
})

/** A delivery as its tenant sees it. */
const deliveryRecord = (row: DeliveryRow): Delivery => ({
  delivery_id: row.delivery_id,
  event_id: row.event_id,
  topic: row.topic,
  kind: row.kind,
  state: row.state,
  redelivery: row.again,
  attempts: row.attempts,
  error: row.state === "failed" ? (row.given_up ?? row.attempts.at(-1)?.error ?? null) : null,
  created_at: DateTime.formatIso(row.created_at),
  finished_at: isoOrNull(row.finished_at)
})

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
