import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Capacity } from "./Signups.ts"
import { ServiceStatus, StatusRow } from "./Status.ts"
import { Tier } from "./Tiers.ts"

/** Percent, or null where nothing is measured. */
const Percent = Schema.NullOr(Schema.Finite)

/** Running instances with measurements, and their mean usage. */
const load = { instances: Schema.Int, cpu_percent: Percent, memory_percent: Percent }

const counts = { total: Schema.Int, up: Schema.Int }

export const MonitoringOverview = Schema.Struct({
  generated_at: Schema.String,
  overall: ServiceStatus,
  services: Schema.Array(StatusRow),
  /** The number of present notices. */
  incidents: Schema.Int,
  nodes: Schema.Struct({ ...counts, cpu_percent: Percent, memory_percent: Percent }),
  instances: Schema.Struct({ measured: Schema.Int, cpu_percent: Percent, memory_percent: Percent }),
  tenants: Schema.Struct({ total: Schema.Int, suspended: Schema.Int }),
  /** Alarms of all tenants, disabled ones included. */
  alarms: Schema.Struct({ ok: Schema.Int, alarm: Schema.Int, insufficient_data: Schema.Int })
}).annotate({ identifier: "MonitoringOverview" })
export type MonitoringOverview = typeof MonitoringOverview.Type

export const FleetNode = Schema.Struct({
  node: Schema.String,
  up: Schema.Boolean,
  cpu_percent: Percent,
  memory_percent: Percent
}).annotate({ identifier: "FleetNode" })
export type FleetNode = typeof FleetNode.Type

export const FleetTenant = Schema.Struct({
  project_id: Schema.String,
  /** Null, as the tier is, for a measured project that is no tenant. */
  name: Schema.NullOr(Schema.String),
  tier: Schema.NullOr(Tier),
  suspended: Schema.Boolean,
  ...load,
  alarms: Schema.Struct({ ok: Schema.Int, alarm: Schema.Int, insufficient_data: Schema.Int })
}).annotate({ identifier: "FleetTenant" })
export type FleetTenant = typeof FleetTenant.Type

export const MonitoringFleet = Schema.Struct({
  generated_at: Schema.String,
  services: Schema.Array(StatusRow),
  nodes: Schema.Array(FleetNode),
  tenants: Schema.Array(FleetTenant)
}).annotate({ identifier: "MonitoringFleet" })
export type MonitoringFleet = typeof MonitoringFleet.Type

/** Total and used. */
const Physical = Schema.Struct({ total: Schema.Int, used: Schema.Int }).annotate({ identifier: "PhysicalCapacity" })

/** The sellable budget as in GET /v1/signups/capacity, and the physical platform. */
export const PlatformCapacity = Schema.Struct({
  generated_at: Schema.String,
  sellable: Capacity,
  physical: Schema.Struct({
    hypervisors: Schema.Int,
    /** Processor threads, without overcommit. */
    vcpus: Physical,
    memory_mib: Physical,
    /** The hypervisors' local disks; shared disks count once for each hypervisor. */
    disk_gib: Physical,
    running_instances: Schema.Int,
    /** The storage cluster before replication; null on a cloud whose monitoring has none. */
    storage_bytes: Schema.NullOr(Physical)
  })
}).annotate({ identifier: "PlatformCapacity" })
export type PlatformCapacity = typeof PlatformCapacity.Type

/** Operator plane. A source that cannot be read is a 502 with its message, and never a number. */
export class Monitoring extends HttpApiGroup.make("monitoring")
  .add(
    HttpApiEndpoint.get("overview", "/monitoring/overview", {
      success: MonitoringOverview,
      error: failures("service_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.get("fleet", "/monitoring/fleet", {
      success: MonitoringFleet,
      error: failures("service_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.get("capacity", "/capacity", { success: PlatformCapacity, error: failures("upstream_failed") })
  )
  // The role decides; an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
