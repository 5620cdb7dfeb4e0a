import type { TenantDrift } from "@portico/contract/Drift"
import { NotFound } from "@portico/contract/Failures"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import { Pages } from "@portico/store/Pages"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { Cinder } from "@portico/upstream/cinder/Cinder"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Nova } from "@portico/upstream/nova/Nova"
import { Octavia } from "@portico/upstream/octavia/Octavia"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { DateTime, Effect } from "effect"
import { toWire } from "../tenants/list.ts"
import { dimensionsOf, tagOf } from "./compare.ts"

/** The tenants that are compared at once, each with six concurrent upstream calls. */
const atOnce = 4

/**
 * Compares what every tenant should have, by its tier in the table and the catalogue, with its
 * project's tags and the quotas that the services enforce. It changes nothing.
 *
 * It takes six upstream calls for each tenant, all concurrent.
 *
 * @param projectId limits the result to one tenant
 *
 * Errors: 404 for an unknown tenant. A service that does not answer fails nothing: its rows are
 * `unreadable`.
 */
export const drift = Effect.fn("drift.show")(function* (projectId: string | undefined, page: PageRequest) {
  const { count, next_cursor, rows } = projectId === undefined ? yield* pageAt(page) : yield* only(projectId)
  const tenants = yield* Effect.forEach(rows, driftOf, { concurrency: atOnce })
  return { count, next_cursor, tenants }
})

const pageAt = Effect.fnUntraced(function* (page: PageRequest) {
  const { count, rows } = yield* (yield* Pages).tenants(page)
  return { count, ...pageOf(rows, page, (_) => ({ at: DateTime.toEpochMillis(_.created_at), id: _.project_id })) }
})

const only = Effect.fnUntraced(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant === undefined) return yield* NotFound.tenant(projectId)
  return { count: 1, next_cursor: null, rows: [tenant] }
})

const driftOf = Effect.fn("drift.of")(function* (tenant: TenantEntry) {
  const { project_id: projectId, suspended, tier } = tenant
  const wanted = suspended ? zeroQuotas : serviceQuotas(tier)
  const [project, nova, cinder, neutron, octavia, rgw] = yield* Effect.all(
    [
      Effect.result((yield* Keystone).getProject(projectId)),
      Effect.result((yield* Nova).readQuotas(projectId)),
      Effect.result(Effect.map((yield* Cinder).readQuotas(projectId), withFloors)),
      Effect.result((yield* Neutron).readQuotas(projectId)),
      Effect.result(Effect.map((yield* Octavia).readLimit(projectId), (limit) => ({ loadbalancer: { limit } }))),
      Effect.result(Effect.map((yield* Rgw).readQuotas(projectId), asLimits))
    ],
    { concurrency: "unbounded" }
  )
  const tag = tagOf(tenant, project)
  const dimensions = [
    ...dimensionsOf("nova", wanted.nova, nova),
    ...dimensionsOf("cinder", wanted.cinder, cinder),
    ...dimensionsOf("neutron", wanted.neutron, neutron),
    ...dimensionsOf("octavia", wanted.octavia, octavia),
    ...dimensionsOf("rgw", wanted.rgw, rgw)
  ]
  const states = [tag.state, ...dimensions.map((_) => _.state)]
  return {
    tenant: toWire(tenant),
    drifted: states.some((_) => _ === "drifted" || _ === "absent"),
    complete: !states.includes("unreadable"),
    tag,
    dimensions
  } satisfies TenantDrift
})

type CinderUsage = { readonly limit: number; readonly in_use: number; readonly reserved: number }

/** No release of Cinder lowers a limit below what is in use or reserved. */
const floored = ({ in_use, limit, reserved }: CinderUsage) => ({ limit, floor: in_use + reserved })
const withFloors = (read: Readonly<Record<"volumes" | "gigabytes" | "backups" | "backup_gigabytes", CinderUsage>>) => ({
  volumes: floored(read.volumes),
  gigabytes: floored(read.gigabytes),
  backups: floored(read.backups),
  backup_gigabytes: floored(read.backup_gigabytes)
})

const asLimits = (read: Readonly<Record<"max_buckets" | "max_size" | "max_objects", number>> | undefined) =>
  read && {
    max_buckets: { limit: read.max_buckets },
    max_size: { limit: read.max_size },
    max_objects: { limit: read.max_objects }
  }
