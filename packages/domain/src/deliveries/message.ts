import { bodyOf } from "@portico/contract/webhookDelivery"
import { Event } from "@portico/contract/Events"
import { Option, Schema } from "effect"
import type { Message } from "./Senders.ts"

const decode = Schema.decodeUnknownOption(Event)

/**
 * The message of an event, with its fields in a fixed order, independent of the database's.
 * Undefined for an envelope that is not a valid event.
 */
export const messageOf = (envelope: unknown): Message | undefined => {
  const event = Option.getOrUndefined(decode(envelope))
  return event === undefined ? undefined : { id: event.id, event, body: bodyOf(event) }
}
