import type { portico } from "../api/portico.ts"

export type Webhook = Awaited<ReturnType<typeof portico.webhooks.show>>
export type Integration = Awaited<ReturnType<typeof portico.integrations.show>>
export type Deliveries = Awaited<ReturnType<typeof portico.webhooks.deliveries>>
export type Delivery = Deliveries["deliveries"][number]
export type DeliveryState = Delivery["state"]
export type Tested = Awaited<ReturnType<typeof portico.webhooks.test>>
/** The fields that webhooks and integrations have in common: what is sent, and how it goes. */
export type Sending = Omit<Webhook, "webhook_id" | "url" | "description">

/** Where events of an integration go, as far as it may be shown. */
export const destinationOf = ({ recipients, url }: Integration): string =>
  url ?? (recipients ?? []).map((_) => _.address).join(", ")
