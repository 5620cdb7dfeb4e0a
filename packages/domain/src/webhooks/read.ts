import { NotFound } from "@portico/contract/Failures"
import type { PageRequest } from "@portico/contract/Page"
import type { Webhook } from "@portico/contract/Webhooks"
import { type TargetEntry, Targets } from "@portico/store/Targets"
import { DateTime, Effect } from "effect"
import { type DeliveryFilter, listDeliveries } from "../deliveries/list.ts"
import { previousUntil } from "../deliveries/secrets.ts"
import { commonToWire } from "../deliveries/targets.ts"

/** A tenant's webhooks, oldest first. */
export const listWebhooks = Effect.fn("webhooks.list")(function* (projectId: string) {
  const now = yield* DateTime.now
  const webhooks = (yield* ownWebhooks(projectId)).map((_) => toWire(_, now))
  return { count: webhooks.length, webhooks }
})

export const ownWebhooks = Effect.fnUntraced(function* (projectId: string) {
  return (yield* (yield* Targets).list(projectId)).filter((_) => _.kind === "webhook")
})

/** Errors: the same 404 for another tenant's id, an unknown one, a malformed one and an integration's. */
export const showWebhook = Effect.fn("webhooks.show")(function* (projectId: string, webhookId: string) {
  return toWire(yield* ownWebhook(projectId, webhookId), yield* DateTime.now)
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
  page: PageRequest,
  filter: DeliveryFilter = {}
) {
  return yield* listDeliveries((yield* ownWebhook(projectId, webhookId)).target_id, page, filter)
})

/** A webhook as its tenant sees it, without its secret. */
export const toWire = (entry: TargetEntry, now: DateTime.Utc): Webhook => ({
  webhook_id: entry.target_id,
  url: urlOf(entry),
  description: entry.name,
  ...commonToWire(entry, now),
  previous_secret_until: previousUntil(entry, now)
})

export const urlOf = ({ settings }: Pick<TargetEntry, "settings">): string => {
  const url = settings["url"]
  return typeof url === "string" ? url : ""
}
