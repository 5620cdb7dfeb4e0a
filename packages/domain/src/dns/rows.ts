import { RecordType, type RecordsetRow, type ZoneRow } from "@portico/contract/Dns"
import { type PageRequest, pageOf, type Position } from "@portico/contract/Page"
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

export const zoneRow = (zone: DesignateZone): ZoneRow => ({
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

export const recordsetRow = (recordset: DesignateRecordset): RecordsetRow => ({
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

const positionOf = ({ created_at, id }: { readonly created_at: string; readonly id: string }): Position => {
  const at = moment(created_at)
  return { at: at === undefined ? 0 : DateTime.toEpochMillis(at), id }
}

/**
 * A page of a list that is completely known, oldest first. Its cursor is a position in the order
 * and not a row, so the row may be deleted before the next page is requested.
 */
export const pageOfAll = <Row extends { readonly created_at: string; readonly id: string }>(
  all: ReadonlyArray<Row>,
  page: PageRequest
) => {
  const { after } = page
  const placed = all
    .map((row) => ({ row, position: positionOf(row) }))
    .toSorted((a, b) => order(a.position, b.position))
  const behind = after === undefined ? placed : placed.filter((_) => order(_.position, after) > 0)
  const { next_cursor, rows } = pageOf(behind.slice(0, page.limit + 1), page, (_) => _.position)
  return { count: all.length, next_cursor, rows: rows.map((_) => _.row) }
}

const order = (a: Position, b: Position): number => a.at - b.at || (a.id < b.id ? -1 : Number(a.id > b.id))
