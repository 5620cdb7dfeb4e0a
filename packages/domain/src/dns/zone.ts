import { NotFound } from "@portico/contract/Failures"
import { Designate } from "@portico/upstream/designate/Designate"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"

/** The DNS of a tenant; 404 on a cloud without DNS, as for any service that a cloud may lack. */
export const dnsOf = Effect.fnUntraced(function* (projectId: string) {
  const designate = yield* Designate
  return designate.present ? designate.as(projectId) : yield* NotFound.service("dns")
})

/** Whether a text has the only spelling of an id; the gateway has never shown an id in any other spelling. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/**
 * A zone of the tenant, and the tenant's DNS. A zone that another project shares with the tenant
 * belongs to that project, and is as absent as its other zones.
 *
 * Errors: 404 alike for a foreign, unknown or malformed id; 502.
 */
export const ownZone = Effect.fnUntraced(function* (projectId: string, zoneId: string) {
  const dns = yield* dnsOf(projectId)
  const found = isId(zoneId) ? yield* Effect.mapError(dns.findZone(zoneId), badGateway) : undefined
  if (found === undefined || found.project_id !== projectId) return yield* NotFound.dnsZone(zoneId)
  return { dns, zone: found }
})

/** A recordset of a zone of the tenant. */
export const ownRecordset = Effect.fnUntraced(function* (projectId: string, zoneId: string, recordsetId: string) {
  const { dns, zone } = yield* ownZone(projectId, zoneId)
  const found = isId(recordsetId)
    ? yield* Effect.mapError(dns.findRecordset(zone.id, recordsetId), badGateway)
    : undefined
  return { dns, zone, recordset: found ?? (yield* NotFound.recordset(recordsetId)) }
})
