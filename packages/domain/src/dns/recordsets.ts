import type { RecordsetCreate, RecordsetPatch } from "@portico/contract/Dns"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import type { PageRequest } from "@portico/contract/Page"
import type { DesignateRecordset, RecordsetContent, TenantDns } from "@portico/upstream/designate/Designate"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { pageOfAll } from "../pageOfAll.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { refusal } from "../refusal.ts"
import { recordsOf } from "./data.ts"
import { qualify } from "./names.ts"
import { leaving, positionOf, recordsetToWire, writableType } from "./rows.ts"
import { ownRecordset, ownZone } from "./zone.ts"

const qualified = (name: string, zone: string) =>
  Effect.mapError(Effect.fromResult(qualify(name, zone)), Unprocessable.dnsName)

/**
 * Lists the recordsets of a zone, including those that tenants cannot write, optionally those of a
 * name and a type. It takes two upstream calls, and one more for every thousand recordsets.
 */
export const listRecordsets = Effect.fn("dns.listRecordsets")(function* (
  projectId: string,
  zoneId: string,
  filter: { readonly name?: string; readonly type?: string },
  page: PageRequest
) {
  const { dns, zone } = yield* ownZone(projectId, zoneId)
  const name = filter.name === undefined ? undefined : (yield* qualified(filter.name, zone.name)).toLowerCase()
  const all = yield* Effect.mapError(dns.recordsets(zone.id), badGateway)
  const wanted = all.filter(
    (_) =>
      (name === undefined || _.name.toLowerCase() === name) && (filter.type === undefined || _.type === filter.type)
  )
  const { count, next_cursor, rows } = pageOfAll(wanted, page, positionOf)
  return { count, next_cursor, recordsets: rows.map(recordsetToWire) }
})

/**
 * Creates a recordset. When one of its name and type exists, the result is a 409 with Designate's
 * message, and the existing one stays unchanged.
 *
 * Errors: 404; 409; 422 for an invalid name or invalid data; 502.
 */
export const createRecordset = Effect.fn("dns.createRecordset")(function* (
  projectId: string,
  zoneId: string,
  { name: given, records, type, ...rest }: RecordsetCreate
) {
  const { dns, zone } = yield* ownZone(projectId, zoneId)
  const key = { name: yield* qualified(given, zone.name), type }
  const content = { ...rest, records: yield* dataOf(type, records) }
  const made = Effect.catch(dns.createRecordset(zone.id, key, content), (error) =>
    Effect.flatMap(lookedFor(dns, zone.id, { ...key, ...content }, error), (found) =>
      found === undefined ? Effect.fail(refusal(error)) : Effect.succeed(found)
    )
  )
  return recordsetToWire(yield* (yield* RunToCompletion).run(made))
})

const dataOf = (type: RecordsetCreate["type"], records: ReadonlyArray<string>) =>
  Effect.mapError(Effect.fromResult(recordsOf(type, records)), Unprocessable.dnsRecords)

/**
 * Finds the recordset of a create whose response was lost. For a recordset that existed before,
 * Designate reports a conflict instead.
 */
const lookedFor = (
  dns: TenantDns,
  zoneId: string,
  wanted: RecordsetContent & { readonly name: string; readonly type: string },
  error: UpstreamError
) =>
  error.transient || error.unsettled
    ? dns.recordsets(zoneId).pipe(
        Effect.map((all) => all.find((_) => isSame(_, wanted))),
        Effect.mapError(() => refusal(error))
      )
    : Effect.undefined

const isSame = (
  found: DesignateRecordset,
  { description = null, name, records = [], ttl = null, type }: Parameters<typeof lookedFor>[2]
): boolean =>
  found.name.toLowerCase() === name.toLowerCase() &&
  found.type === type &&
  found.ttl === ttl &&
  found.description === description &&
  JSON.stringify(found.records.toSorted()) === JSON.stringify(records.toSorted())

/** Refuses recordsets of types that tenants cannot write. */
const writable = (recordset: DesignateRecordset) => {
  const type = writableType(recordset.type)
  return type === undefined
    ? Effect.fail(Conflict.recordsetReadOnly(recordset.name, recordset.type))
    : Effect.succeed(type)
}

/** Changes a recordset in place; fields that are not given stay. Repeatable. */
export const changeRecordset = Effect.fn("dns.changeRecordset")(function* (
  projectId: string,
  zoneId: string,
  recordsetId: string,
  { records, ...rest }: RecordsetPatch
) {
  const { dns, recordset, zone } = yield* ownRecordset(projectId, zoneId, recordsetId)
  const type = yield* writable(recordset)
  const content = { ...rest, ...(records === undefined ? {} : { records: yield* dataOf(type, records) }) }
  if (Object.keys(content).length === 0) return recordsetToWire(recordset)
  return recordsetToWire(yield* Effect.mapError(dns.changeRecordset(zone.id, recordset.id, content), refusal))
})

/** Removes a recordset; the name servers follow. Repeatable, except that a removed recordset is a 404. */
export const removeRecordset = Effect.fn("dns.removeRecordset")(function* (
  projectId: string,
  zoneId: string,
  recordsetId: string
) {
  const { dns, recordset, zone } = yield* ownRecordset(projectId, zoneId, recordsetId)
  yield* writable(recordset)
  yield* Effect.mapError(dns.removeRecordset(zone.id, recordset.id), refusal)
  return { ...recordsetToWire(recordset), ...leaving }
})
