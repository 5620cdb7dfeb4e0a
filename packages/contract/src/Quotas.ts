import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authenticated, Validated, WellFormed, WithoutTenant } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Tier } from "./Tiers.ts"

/**
 * The source of the usage: a service, the gateway's own records, the tier
 * alone, or unavailable when the service cannot be read.
 */
const sources = [
  "nova",
  "cinder",
  "neutron",
  "octavia",
  "rgw",
  "designate",
  "kubernetes",
  "gateway",
  "tier",
  "unavailable"
] as const

/** A limit of -1 is unlimited. `used` is null, never 0, when it is not counted or cannot be read. */
export const QuotaUsage = Schema.Struct({
  limit: Schema.Int,
  used: Schema.NullOr(Schema.Int),
  source: Schema.Literals(sources)
}).annotate({ identifier: "QuotaUsage" })
export type QuotaUsage = typeof QuotaUsage.Type

/**
 * `limit` is the tier's and `enforced` the object gateway's, -1 where that has
 * none. `enforced` and `matches_tier` are null when they were not read, and
 * while the tenant has no S3 user.
 */
export const ObjectStorageUsage = Schema.Struct({
  limit: Schema.Int,
  enforced: Schema.NullOr(Schema.Int),
  used: Schema.NullOr(Schema.Int),
  source: Schema.Literals(["rgw", "tier", "unavailable"]),
  matches_tier: Schema.NullOr(Schema.Boolean)
}).annotate({ identifier: "ObjectStorageUsage" })
export type ObjectStorageUsage = typeof ObjectStorageUsage.Type

/** Memory in MiB, storage in GiB, object storage in bytes. */
export const Quotas = Schema.Struct({
  project_id: Schema.String,
  tier: Tier,
  suspended: Schema.Boolean,
  compute: Schema.Struct({ cores: QuotaUsage, ram: QuotaUsage, instances: QuotaUsage }),
  block_storage: Schema.Struct({
    volumes: QuotaUsage,
    gigabytes: QuotaUsage,
    backups: QuotaUsage,
    backup_gigabytes: QuotaUsage
  }),
  network: Schema.Struct({ networks: QuotaUsage, routers: QuotaUsage, floating_ips: QuotaUsage }),
  load_balancers: QuotaUsage,
  nat_gateways: QuotaUsage,
  dns_zones: QuotaUsage,
  edge_exposures: QuotaUsage,
  object_storage: Schema.Struct({ buckets: ObjectStorageUsage, bytes: ObjectStorageUsage }),
  databases: Schema.Struct({ gigabytes: QuotaUsage, claims: QuotaUsage }),
  clusters: QuotaUsage,
  workers: QuotaUsage,
  api_rpm: QuotaUsage,
  credentials: QuotaUsage
}).annotate({ identifier: "Quotas" })
export type Quotas = typeof Quotas.Type

/** Both planes. A service that cannot be read is marked in its own rows, and does not affect the others. */
export class QuotasGroup extends HttpApiGroup.make("quotas")
  .add(
    HttpApiEndpoint.get("show", "/quotas", {
      query: { project: Schema.optionalKey(Schema.String) },
      success: Quotas,
      error: failures("project_override_refused", "tenant_not_found", "tenant_required", "tier_unreadable")
    }).annotate(WithoutTenant, true)
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
