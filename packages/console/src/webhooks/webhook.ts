import type { portico } from "../api/portico.ts"
import { everything, type Subscription, subscriptionOf } from "../deliveries/subscription.ts"

export type Webhook = Awaited<ReturnType<typeof portico.webhooks.show>>

export interface WebhookDraft extends Subscription {
  readonly url: string
  readonly description: string
}

export const noWebhook: WebhookDraft = { url: "", description: "", ...everything }

export const draftOf = (webhook: Webhook): WebhookDraft => ({
  url: webhook.url,
  description: webhook.description ?? "",
  ...subscriptionOf(webhook)
})
