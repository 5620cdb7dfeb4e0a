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
  if (event === undefined) return undefined
  const { at, data, id, key, kind, project_id, topic } = event
  return { id, event, body: JSON.stringify({ id, topic, kind, at, key, project_id, data }) }
}
