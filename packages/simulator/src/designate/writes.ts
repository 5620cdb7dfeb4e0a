import { Result } from "effect"
import { randomUUID } from "node:crypto"
import type { Ruling } from "./answers.ts"
import { recordsetPlace, zonePlace } from "./placement.ts"
import { within } from "./limits.ts"
import {
  type DesignateState,
  nameServers,
  type Pending,
  type Recordset,
  recordsetsOf,
  workMillis,
  type Zone
} from "./state.ts"

export type NewZone = Pick<
  Zone,
  "project_id" | "name" | "email" | "ttl" | "description" | "type" | "masters" | "attributes"
>
export type NewRecordset = Pick<Recordset, "name" | "type" | "records" | "ttl" | "description">

/** Adds a pending zone with the SOA and NS of its apex. */
export const addZone = (state: DesignateState, now: number, given: NewZone): Ruling<Zone> =>
  Result.gen(function* () {
    const held = Object.values(state.zones).filter((_) => _.project_id === given.project_id).length
    yield* within(state, given.project_id, "zones", held + 1)
    yield* zonePlace(state, given.project_id, given.name)
    const zone: Zone = {
      ...given,
      id: randomUUID(),
      serial: Math.floor(now / 1000),
      version: 1,
      created_at: now,
      updated_at: null,
      pending: "CREATE",
      ready_from: now + workMillis,
      deleted_from: null
    }
    state.zones[zone.id] = zone
    if (zone.type === "PRIMARY") {
      insert(state, now, zone, { ...apex, type: "SOA", name: zone.name, records: [soaOf(zone)] }, true)
      insert(state, now, zone, { ...apex, type: "NS", name: zone.name, records: nameServers }, true)
    }
    return zone
  })

const apex = { ttl: null, description: null } as const

const soaOf = ({ email, serial, ttl }: Zone): string =>
  `${nameServers[0]} ${email.replace("@", ".")}. ${serial} 3600 600 86400 ${ttl}`

const insert = (state: DesignateState, now: number, zone: Zone, given: NewRecordset, managed: boolean): Recordset => {
  const recordset: Recordset = {
    ...given,
    id: randomUUID(),
    zone_id: zone.id,
    managed,
    version: 1,
    created_at: now,
    updated_at: null,
    pending: "CREATE",
    ready_from: given.records.length === 0 ? now : now + workMillis
  }
  state.recordsets[recordset.id] = recordset
  return recordset
}

/** Marks a pending change for the workers. */
export const touch = (
  thing: { pending: Pending; ready_from: number; updated_at: number | null; version: number },
  now: number,
  pending: Pending
): void => {
  thing.pending = pending
  thing.ready_from = now + workMillis
  thing.updated_at = now
  thing.version += 1
}

/** A change in a zone increments its serial, which the SOA repeats. */
export const bump = (state: DesignateState, now: number, zone: Zone): void => {
  zone.serial = Math.max(zone.serial + 1, Math.floor(now / 1000))
  touch(zone, now, "UPDATE")
  const soa = recordsetsOf(state, zone.id).find((_) => _.type === "SOA")
  if (soa === undefined) return
  soa.records = [soaOf(zone)]
  touch(soa, now, "UPDATE")
}

/** Adds a validated recordset. Increments the zone's serial, except while the zone itself is being created. */
export const addRecordset = (
  state: DesignateState,
  now: number,
  zone: Zone,
  given: NewRecordset,
  serial: "grows" | "stays" = "grows"
): Ruling<Recordset> =>
  Result.gen(function* () {
    const own = recordsetsOf(state, zone.id).filter((_) => !_.managed)
    yield* within(state, zone.project_id, "zone_recordsets", own.length + 1)
    yield* recordsWithin(state, zone, given.records)
    yield* recordsetPlace(state, zone, given)
    if (serial === "grows") bump(state, now, zone)
    return insert(state, now, zone, given, false)
  })

/** @param replaced the recordset that these records replace */
export const recordsWithin = (
  state: DesignateState,
  zone: Zone,
  records: ReadonlyArray<string>,
  replaced?: Recordset
): Ruling<void> =>
  Result.gen(function* () {
    const others = recordsetsOf(state, zone.id).filter((_) => !_.managed && _ !== replaced)
    const held = others.reduce((sum, _) => sum + _.records.length, 0)
    yield* within(state, zone.project_id, "zone_records", held + records.length)
    yield* within(state, zone.project_id, "recordset_records", records.length)
  })
