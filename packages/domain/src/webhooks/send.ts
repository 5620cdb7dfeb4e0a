import { Conflict, NotFound } from "@portico/contract/Failures"
import { webhookTopic } from "@portico/contract/Events"
import type { RedeliverRequest, WebhookTest } from "@portico/contract/Webhooks"
import { Deliveries } from "@portico/store/Deliveries"
import { DateTime, Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { matches } from "../deliveries/matches.ts"
import { messageOf } from "../deliveries/message.ts"
import { trySending } from "../deliveries/tries.ts"
import { ownWebhook } from "./read.ts"
import { deliveryRecord } from "../deliveries/list.ts"

/**
 * Sends a signed ping now, once, also to a disabled webhook. It is not an event
 * of the log, and does not count as a success or a failure of the webhook.
 *
 * Errors: the same 404 for another tenant's id, an unknown one and a malformed
 * one.
 */
export const testWebhook = Effect.fn("webhooks.test")(function* (projectId: string, webhookId: string) {
  const target = yield* ownWebhook(projectId, webhookId)
  const id = randomUUID()
  const message = messageOf({
    id,
    topic: webhookTopic,
    kind: "webhook.ping",
    at: DateTime.formatIso(yield* DateTime.now),
    key: webhookId,
    project_id: projectId,
    data: { webhook_id: webhookId }
  })
  if (message === undefined) return yield* Effect.die("a ping is no event")
  const { duration_ms, error, status } = (yield* trySending(target, message)).attempt
  return { event_id: id, delivered: error === null, status, duration_ms, error } satisfies WebhookTest
})

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

/**
 * Sends an event of the tenant's to a webhook once more, after the deliveries
 * that wait for it: a new series of attempts, with the same id. The event may
 * be older than the webhook.
 *
 * Errors: 404 for the webhook, and for an event that is not the tenant's, that
 * the webhook is not subscribed to, or that is no longer kept; 409 while the
 * webhook is disabled.
 */
export const redeliver = Effect.fn("webhooks.redeliver")(function* (
  projectId: string,
  webhookId: string,
  { event_id }: RedeliverRequest
) {
  const target = yield* ownWebhook(projectId, webhookId)
  const deliveries = yield* Deliveries
  const event = isUuid(event_id) ? yield* deliveries.event(projectId, event_id) : undefined
  if (event === undefined || !matches(target, event)) return yield* NotFound.event(event_id)
  if (target.state !== "active") return yield* Conflict.webhookDisabled(webhookId)
  const row = yield* deliveries.again({ target_id: webhookId, event_id, ...event, again: true })
  return deliveryRecord(row ?? (yield* Conflict.webhookDisabled(webhookId)))
})
