import type { portico } from "../api/portico.ts"
import type { Write } from "../api/useAct.ts"
import type { Read } from "../api/useAnswer.ts"

type Page = Awaited<ReturnType<typeof portico.webhooks.deliveries>>
export type Delivery = Page["deliveries"][number]
export type DeliveryState = Delivery["state"]
type Tested = Awaited<ReturnType<typeof portico.webhooks.test>>
/** The fields that webhooks and integrations have in common: what is sent, and how it goes. */
export type Sending = Pick<
  Awaited<ReturnType<typeof portico.webhooks.show>>,
  "topics" | "kinds" | "enabled" | "disabled_reason" | "failures_in_a_row" | "rests_until"
>

type Wanted<Id> = Id & { readonly state?: DeliveryState | undefined; readonly limit?: number | undefined }

/** The deliveries of a webhook or an integration, which its id names. */
export interface DeliveryOperations<Id> {
  readonly deliveries: Read<Wanted<Id> & { readonly cursor?: string | undefined }, Page> & {
    readonly all: (input: Wanted<Id>) => AsyncIterable<Delivery>
  }
  readonly redeliver: Write<Id & { readonly event_id: string }, Delivery>
}

export interface TargetOperations<Id, Target> {
  readonly test: Write<Id, Tested>
  readonly update: Write<Id & { readonly enabled: boolean }, Target>
}
