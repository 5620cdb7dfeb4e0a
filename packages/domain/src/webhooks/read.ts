import { NotFound } from "@portico/contract/Failures"
import { type PageRequest, pageOf } from "@portico/contract/Page"
import { Deliveries } from "@portico/store/Deliveries"
import { Targets } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { deliveryRecord, webhookRecord } from "./record.ts"

/** A tenant's webhooks, oldest first. */
export const listWebhooks = Effect.fn("webhooks.list")(function* (projectId: string) {
  const now = yield* DateTime.now
  const webhooks = (yield* ownWebhooks(projectId)).map((_) => webhookRecord(_, now))
  return { count: webhooks.length, webhooks }
})

export const ownWebhooks = Effect.fnUntraced(function* (projectId: string) {
  return (yield* (yield* Targets).list(projectId)).filter((_) => _.kind === "webhook")
})

/** Errors: 404 for another tenant's, nobody's, a malformed id and an integration alike. */
export const showWebhook = Effect.fn("webhooks.show")(function* (projectId: string, webhookId: string) {
  return webhookRecord(yield* ownWebhook(projectId, webhookId), yield* DateTime.now)
})

/** Errors: 404, as for {@link showWebhook}. */
export const ownWebhook = Effect.fnUntraced(function* (projectId: string, webhookId: string) {
  const entry = yield* (yield* Targets).find(projectId, webhookId)
  return entry?.kind === "webhook" ? entry : yield* NotFound.webhook(webhookId)
})

/**
 * What was sent to a webhook in the last 30 days, or waits to be, the newest
 * first; the same on every replica. Errors: 404, as for {@link showWebhook}.
 */
export const listDeliveries = Effect.fn("webhooks.deliveries")(function* (
  projectId: string,
  webhookId: string,
  page: PageRequest
) {
  const { target_id } = yield* ownWebhook(projectId, webhookId)
  const deliveries = yield* Deliveries
  const { count, found } = yield* Effect.all(
    { count: deliveries.count(target_id), found: deliveries.page(target_id, page.after?.at, page.limit + 1) },
    { concurrency: 2 }
  )
  // A delivery's number is its place: it stands where other lists have a moment.
  const { next_cursor, rows } = pageOf(found, page, (_) => ({ at: _.number, id: _.delivery_id }))
  return { count, next_cursor, deliveries: rows.map(deliveryRecord) }
})
