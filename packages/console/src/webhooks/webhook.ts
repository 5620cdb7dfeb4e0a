import type { portico } from "../api/portico.ts"

export type Webhook = Awaited<ReturnType<typeof portico.webhooks.show>>
export type Delivery = Awaited<ReturnType<typeof portico.webhooks.deliveries>>["deliveries"][number]
