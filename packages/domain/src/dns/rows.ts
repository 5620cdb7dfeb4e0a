import { RecordType, type RecordsetRow, type ZoneRow } from "@portico/contract/Dns"
import type { Position } from "@portico/contract/Page"
import type { DesignateRecordset, DesignateZone } from "@portico/upstream/designate/Designate"
import { DateTime, Option } from "effect"

/** Designate's timestamps are in UTC, without a time zone. */
const moment = (text: string): DateTime.Utc | undefined =>
  Option.getOrUndefined(DateTime.make(text.endsWith("Z") ? text : `${text}Z`))

const iso = (text: string): string => {
  const at = moment(text)
  return at === undefined ? text : DateTime.formatIso(at)
}

const times = ({ created_at, updated_at }: { readonly created_at: string; readonly updated_at: string | null }) => ({
  created_at: iso(created_at),
  updated_at: updated_at === null ? null : iso(updated_at)
})

export const zoneToWire = (zone: DesignateZone): ZoneRow => ({
  zone_id: zone.id,
  name: zone.name,
  email: zone.email,
  ttl: zone.ttl,
  serial: zone.serial,
  description: zone.description,
  status: zone.status,
  action: zone.action,
  ...times(zone)
})

/** The types that tenants can write; recordsets of other types belong to other clients or to Designate. */
export const writableType = (type: string): RecordType | undefined => RecordType.literals.find((_) => _ === type)

export const recordsetToWire = (recordset: DesignateRecordset): RecordsetRow => ({
  recordset_id: recordset.id,
  zone_id: recordset.zone_id,
  name: recordset.name,
  type: recordset.type,
  ttl: recordset.ttl,
  records: recordset.records,
  description: recordset.description,
  read_only: writableType(recordset.type) === undefined,
  status: recordset.status,
  action: recordset.action,
  ...times(recordset)
})

/** The state after a removal: the name servers follow. */
export const leaving = { status: "PENDING", action: "DELETE" } as const

/** The position of a zone or a recordset in a list: its creation. */
export const positionOf = ({ created_at, id }: { readonly created_at: string; readonly id: string }): Position => {
  const at = moment(created_at)
  return { at: at === undefined ? 0 : DateTime.toEpochMillis(at), id }
}
