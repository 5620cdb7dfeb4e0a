import { type PageRequest, pageOf } from "@portico/contract/Page"
import type { Delivery } from "@portico/contract/Targets"
import { Deliveries, type DeliveryRow } from "@portico/store/Deliveries"
import { DateTime, Effect } from "effect"
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
export const deliveryRecord = (row: DeliveryRow): Delivery => ({
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
