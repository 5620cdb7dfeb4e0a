import type { AuditRecord } from "@portico/contract/Audit"
import { AuditEvent } from "@portico/contract/Events"
import type { EventRow } from "@portico/store/EventLog"
import { Schema } from "effect"

/** A record, and where it is in the log. */
export interface Entry {
  readonly sequence: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly record: AuditRecord
}

const decode = Schema.decodeUnknownSync(AuditEvent)

/** The event that a row of the log is. What this process and others like it have written can be read. */
export const eventOf = ({ envelope }: EventRow): AuditEvent => decode(envelope)

/** An event as the audit shows it. */
export const entryOf = (sequence: number, { at, data, id, project_id }: AuditEvent): Entry => ({
  sequence,
  at: Date.parse(at),
  record: { id, at, project_id, ...data }
})

export const entryIn = (row: EventRow): Entry => entryOf(row.sequence, eventOf(row))
