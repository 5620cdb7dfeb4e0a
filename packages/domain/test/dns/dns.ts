import type { RecordsetCreate } from "@portico/contract/Dns"
import { createZone } from "@portico/domain/dns/createZone"
import { createRecordset, listRecordsets } from "@portico/domain/dns/recordsets"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { tenantOf } from "@portico/testing/tenants/tenant"

/** Two tenants, of which the first has a zone that the name servers know. */
export const acmeWithZone = Effect.gen(function* () {
  const acme = yield* tenantOf("discovery", "Acme GmbH")
  const globex = yield* tenantOf("discovery", "Globex AG")
  const zone = yield* inTime(createZone(acme, { name: "example.org." }))
  yield* TestClock.adjust("5 seconds")
  return { acme, globex, zone: zone.zone_id }
})

export const page = { limit: 100, after: undefined } as const

/** The zones of a project, as Designate holds them. */
export const zonesOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  return Object.values(world.designate.zones).filter((_) => _.project_id === projectId)
})

/** Everything in a zone that is written by tenants: `name type records ttl`. */
export const writtenIn = Effect.fnUntraced(function* (zoneId: string) {
  const { world } = yield* SimulatedCloud
  return Object.values(world.designate.recordsets)
    .filter((_) => _.zone_id === zoneId && !_.managed)
    .map(({ name, records, ttl, type }) => `${name} ${type} ${records.join(", ")}${ttl === null ? "" : ` ${ttl}`}`)
    .toSorted()
})

export const added = (projectId: string, zoneId: string, recordset: RecordsetCreate) =>
  inTime(createRecordset(projectId, zoneId, recordset))

/** The recordset of that name and type. */
export const recordsetNamed = Effect.fnUntraced(function* (
  projectId: string,
  zoneId: string,
  name: string,
  type: string
) {
  const [found] = (yield* inTime(listRecordsets(projectId, zoneId, { name, type }, page))).recordsets
  return found ?? (yield* Effect.die(`there is no ${name} ${type}`))
})

/** The upstream calls since they were last cleared, by service and route. */
export const callsMade = Effect.map(
  Effect.flatMap(SimulatedCloud, (_) => _.calls),
  (calls) => calls.map(({ method, route, service }) => `${service} ${method} ${route}`)
)
