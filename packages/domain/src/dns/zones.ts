import type { ZonePatch } from "@portico/contract/Dns"
import { Conflict } from "@portico/contract/Failures"
import type { PageRequest } from "@portico/contract/Page"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { pageOfAll } from "../pageOfAll.ts"
import { refusal } from "../refusal.ts"
import { leaving, positionOf, zoneToWire } from "./rows.ts"
import { dnsOf, ownZone } from "./zone.ts"

/**
 * Lists the tenant's zones, optionally that of a name, in one upstream call for every thousand zones
 * that it sees.
 */
export const listZones = Effect.fn("dns.listZones")(function* (projectId: string, page: PageRequest, name?: string) {
  const wanted = name === undefined ? undefined : absolute(name)
  const all = yield* Effect.mapError((yield* dnsOf(projectId)).zones, badGateway)
  const { count, next_cursor, rows } = pageOfAll(
    all.filter((_) => _.project_id === projectId && (wanted === undefined || absolute(_.name) === wanted)),
    page,
    positionOf
  )
  return { count, next_cursor, zones: rows.map(zoneToWire) }
})

const absolute = (name: string): string => `${name.toLowerCase().replace(/\.$/, "")}.`

export const showZone = Effect.fn("dns.showZone")(function* (projectId: string, zoneId: string) {
  return zoneToWire((yield* ownZone(projectId, zoneId)).zone)
})

/** Changes the given fields of a zone; the others stay. */
export const changeZone = Effect.fn("dns.changeZone")(function* (projectId: string, zoneId: string, patch: ZonePatch) {
  const { dns, zone } = yield* ownZone(projectId, zoneId)
  if (Object.keys(patch).length === 0) return zoneToWire(zone)
  return zoneToWire(yield* Effect.mapError(dns.changeZone(zone.id, patch), refusal))
})

/**
 * Starts the removal of a zone with all its records; the zone exists until the name servers have
 * dropped it. Repeatable.
 *
 * Errors: 409 with Designate's message, while the zone has zones below it.
 */
export const removeZone = Effect.fn("dns.removeZone")(function* (projectId: string, zoneId: string) {
  const { dns, zone } = yield* ownZone(projectId, zoneId)
  yield* Effect.mapError(dns.removeZone(zone.id), (error) =>
    error.status === 400 ? Conflict.upstream(error.detail) : refusal(error)
  )
  return { ...zoneToWire(zone), ...leaving }
})
