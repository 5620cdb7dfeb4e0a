import type { AuditRecord } from "@portico/contract/Audit"
import { AuditEvent } from "@portico/contract/Events"
import type { EventRow } from "@portico/store/EventLog"
import { Schema } from "effect"

/** A record with its position in the log. */
export interface Entry {
  readonly sequence: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly record: AuditRecord
}

const decode = Schema.decodeUnknownSync(AuditEvent)

/** Decodes the event of a row. Rows of this and other replicas decode; any other row is a defect. */
export const eventOf = ({ envelope }: EventRow): AuditEvent => decode(envelope)

/** An event in the audit's form. */
export const entryOf = (sequence: number, { at, data, id, project_id }: AuditEvent): Entry => ({
  sequence,
  at: Date.parse(at),
  record: { id, at, project_id, ...data }
})

export const entryIn = (row: EventRow): Entry => entryOf(row.sequence, eventOf(row))
