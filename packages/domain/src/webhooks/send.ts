import { Conflict } from "@portico/contract/Failures"
import type { RedeliverRequest } from "@portico/contract/Targets"
import { Effect } from "effect"
import { redeliverTo } from "../deliveries/redeliver.ts"
import { sendPing } from "../deliveries/targets.ts"
import { ownWebhook } from "./read.ts"

/**
 * Sends a signed ping now, once, also to a disabled webhook. It is not an event
 * of the log, and does not count as a success or a failure of the webhook.
 *
 * Errors: the same 404 for another tenant's id, an unknown one and a malformed
 * one.
 */
export const testWebhook = Effect.fn("webhooks.test")(function* (projectId: string, webhookId: string) {
  const target = yield* ownWebhook(projectId, webhookId)
  return yield* sendPing(target, { kind: "webhook.ping", data: { webhook_id: webhookId } })
})

/**
 * Sends an event of the tenant's to a webhook once more: see {@link redeliverTo}.
 *
 * Errors: 404 for the webhook and for the event; 409 while the webhook is disabled.
 */
export const redeliver = Effect.fn("webhooks.redeliver")(function* (
  projectId: string,
  webhookId: string,
  { event_id }: RedeliverRequest
) {
  return yield* redeliverTo(yield* ownWebhook(projectId, webhookId), event_id, () =>
    Effect.fail(Conflict.webhookDisabled(webhookId))
  )
})
