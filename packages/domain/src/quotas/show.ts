import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden } from "@portico/contract/Failures"
import type { Quotas } from "@portico/contract/Quotas"
import { serviceQuotas, type Tier, tiers, zeroQuotas } from "@portico/contract/Tiers"
import { Credentials } from "@portico/store/Credentials"
import { Cinder } from "@portico/upstream/cinder/Cinder"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Nova } from "@portico/upstream/nova/Nova"
import { Octavia } from "@portico/upstream/octavia/Octavia"
import { Effect } from "effect"
import { natUsage } from "../nat/list.ts"
import { tierOf } from "../limits/tenantTier.ts"
import { databases, dnsZones, edgeExposures } from "./counted.ts"
import { objectStorage } from "./objectStorage.ts"
import { ofService, ofTier, uncounted, unlessUnavailable } from "./usage.ts"

/**
 * The limits and usage of a tenant. A service that limits a resource itself
 * reports both. For the rest the limit is the tier's, and 0 where a suspended
 * tenant may create nothing new. A service that cannot be read is unavailable
 * in its own rows and does not delay the others.
 *
 * @param override `?project=`, for platform administrators alone: every other
 * caller gets the same refusal whether or not the project exists
 *
 * Errors: 403, 404 and 409 as above; 503 when the tier cannot be read.
 */
export const showQuotas = Effect.fn("quotas.show")(function* (caller: Caller, override: string | undefined) {
  if (override !== undefined && !caller.admin) return yield* Forbidden.projectOverride()
  const projectId = override ?? caller.tenant?.projectId
  if (projectId === undefined) return yield* Conflict.tenantRequired()
  const { suspended, tier } = yield* tierOf(projectId)
  const row = tiers[tier]
  const room = (limit: number): number => (suspended ? 0 : limit)

  const all = yield* Effect.all(
    {
      services: services(projectId, tier, suspended),
      nat: unlessUnavailable("neutron", natUsage(projectId)),
      zones: dnsZones(projectId, room(row.dns_zones)),
      exposures: edgeExposures(projectId, room(row.edge_exposures)),
      objects: objectStorage(projectId, tier, suspended),
      databases: databases(projectId, room(row.storage_footprint)),
      credentials: (yield* Credentials).countLive(projectId)
    },
    { concurrency: "unbounded" }
  )

  return {
    project_id: projectId,
    tier,
    suspended,
    ...all.services,
    nat_gateways: ofTier("neutron", room(row.nat_gateways), all.nat),
    dns_zones: all.zones,
    edge_exposures: all.exposures,
    object_storage: all.objects,
    databases: all.databases,
    // No route makes clusters, so they are not counted.
    clusters: uncounted(room(row.clusters)),
    workers: uncounted(room(row.workers)),
    // The headers of every answer have what is left of the minute. A suspended tenant may still call and read.
    api_rpm: uncounted(row.api_rpm),
    credentials: ofTier("gateway", row.credentials, all.credentials)
  } satisfies Quotas
})

/** The quotas and usage that the OpenStack services report. */
const services = Effect.fnUntraced(function* (projectId: string, tier: Tier, suspended: boolean) {
  const limits = suspended ? zeroQuotas : serviceQuotas(tier)
  const { cinder, neutron, nova, octavia } = yield* Effect.all(
    {
      nova: unlessUnavailable("nova", (yield* Nova).readQuotas(projectId)),
      cinder: unlessUnavailable("cinder", (yield* Cinder).readQuotas(projectId)),
      neutron: unlessUnavailable("neutron", (yield* Neutron).readQuotas(projectId)),
      octavia: unlessUnavailable("octavia", (yield* Octavia).readQuotas(projectId))
    },
    { concurrency: "unbounded" }
  )
  return {
    compute: {
      cores: ofService("nova", limits.nova.cores, nova?.cores),
      ram: ofService("nova", limits.nova.ram, nova?.ram),
      instances: ofService("nova", limits.nova.instances, nova?.instances)
    },
    block_storage: {
      volumes: ofService("cinder", limits.cinder.volumes, cinder?.volumes),
      gigabytes: ofService("cinder", limits.cinder.gigabytes, cinder?.gigabytes),
      backups: ofService("cinder", limits.cinder.backups, cinder?.backups),
      backup_gigabytes: ofService("cinder", limits.cinder.backup_gigabytes, cinder?.backup_gigabytes)
    },
    network: {
      networks: ofService("neutron", limits.neutron.network, neutron?.network),
      routers: ofService("neutron", limits.neutron.router, neutron?.router),
      floating_ips: ofService("neutron", limits.neutron.floatingip, neutron?.floatingip)
    },
    load_balancers: ofService("octavia", limits.octavia.loadbalancer, octavia)
  } satisfies Partial<Quotas>
})
