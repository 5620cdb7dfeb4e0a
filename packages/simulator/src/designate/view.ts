import { toMicros } from "../times.ts"
import { baseOf, type Request } from "./request.ts"
import { type DesignateState, type Pending, poolId, type Recordset, type Zone } from "./state.ts"

export const stampOrNull = (millis: number | null): string | null => (millis === null ? null : toMicros(millis))

const progress = ({ pending, ready_from }: { readonly pending: Pending; readonly ready_from: number }, now: number) =>
  now < ready_from ? { status: "PENDING", action: pending } : { status: "ACTIVE", action: "NONE" }

export const showZone = (request: Request, zone: Zone) => ({
  id: zone.id,
  pool_id: poolId,
  project_id: zone.project_id,
  name: zone.name,
  email: zone.email,
  description: zone.description,
  ttl: zone.ttl,
  serial: zone.serial,
  ...progress(zone, request.incoming.now),
  version: zone.version,
  attributes: zone.attributes,
  type: zone.type,
  masters: zone.masters,
  shared: false,
  created_at: toMicros(zone.created_at),
  // Becoming active counts as an update.
  updated_at: stampOrNull(zone.updated_at ?? (request.incoming.now < zone.ready_from ? null : zone.ready_from)),
  transferred_at: null,
  links: { self: `${baseOf(request)}/v2/zones/${zone.id}` }
})

export const showRecordset = (request: Request, recordset: Recordset, zone: Zone) => ({
  id: recordset.id,
  zone_id: zone.id,
  project_id: zone.project_id,
  name: recordset.name,
  zone_name: zone.name,
  type: recordset.type,
  records: recordset.records,
  description: recordset.description,
  ttl: recordset.ttl,
  ...progress(recordset, request.incoming.now),
  version: recordset.version,
  created_at: toMicros(recordset.created_at),
  updated_at: stampOrNull(recordset.updated_at),
  links: { self: `${baseOf(request)}/v2/zones/${zone.id}/recordsets/${recordset.id}` }
})

/** A zone as a zone file. */
export const zoneFileOf = (state: DesignateState, zone: Zone): string => {
  const lines = Object.values(state.recordsets)
    .filter((_) => _.zone_id === zone.id)
    .flatMap(({ name, records, ttl, type }) =>
      records.map((data) => `${name} ${ttl === null ? "" : `${ttl} `}IN ${type} ${data}`)
    )
  return [`$ORIGIN ${zone.name}`, `$TTL ${zone.ttl}`, "", ...lines, ""].join("\n")
}
