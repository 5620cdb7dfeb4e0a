import { NotFound } from "@portico/contract/Failures"
import type { PageRequest } from "@portico/contract/Page"
import { Targets } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { listDeliveries } from "../deliveries/list.ts"
import { webhookRecord } from "./record.ts"

/** A tenant's webhooks, oldest first. */
export const listWebhooks = Effect.fn("webhooks.list")(function* (projectId: string) {
  const now = yield* DateTime.now
  const webhooks = (yield* ownWebhooks(projectId)).map((_) => webhookRecord(_, now))
  return { count: webhooks.length, webhooks }
})

export const ownWebhooks = Effect.fnUntraced(function* (projectId: string) {
  return (yield* (yield* Targets).list(projectId)).filter((_) => _.kind === "webhook")
})

/** Errors: the same 404 for another tenant's id, an unknown one, a malformed one and an integration's. */
export const showWebhook = Effect.fn("webhooks.show")(function* (projectId: string, webhookId: string) {
  return webhookRecord(yield* ownWebhook(projectId, webhookId), yield* DateTime.now)
})

/** Errors: 404, as for {@link showWebhook}. */
export const ownWebhook = Effect.fnUntraced(function* (projectId: string, webhookId: string) {
  const entry = yield* (yield* Targets).find(projectId, webhookId)
  return entry?.kind === "webhook" ? entry : yield* NotFound.webhook(webhookId)
})

/** Errors: 404, as for {@link showWebhook}. */
export const listWebhookDeliveries = Effect.fnUntraced(function* (
  projectId: string,
  webhookId: string,
  page: PageRequest
) {
  return yield* listDeliveries((yield* ownWebhook(projectId, webhookId)).target_id, page)
})
