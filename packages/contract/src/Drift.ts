import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { pageFields, pageQuery } from "./Page.ts"
import { AppliedQuotas, TenantRow } from "./Tenants.ts"
import { Tier } from "./Tiers.ts"

/**
 * `equal`: the value matches the catalogue. `drifted`: it does not. `held`: the
 * value is above the catalogue because that much is in use, and block storage
 * takes no limit below its usage; this is no drift. `absent`: the service has
 * no value for the tenant, which is drift. `unreadable`: the value cannot be
 * read, and `words` has the reason.
 */
export const DriftState = Schema.Literals(["equal", "drifted", "held", "absent", "unreadable"])
export type DriftState = typeof DriftState.Type

/**
 * A quota of a tenant: what its tier grants in our table (zero while it is
 * suspended), and what the service enforces.
 */
export const DriftDimension = Schema.Struct({
  service: Schema.Literals(["nova", "cinder", "neutron", "octavia", "rgw"]),
  /** The service's name of the quota. */
  dimension: Schema.String,
  /** In the service's unit: MiB of memory, GiB of block storage, bytes of object storage. */
  wanted: Schema.Int,
  /** Below zero is unlimited, except for `max_buckets`, where it forbids all. Null when absent or unreadable. */
  actual: Schema.NullOr(Schema.Int),
  state: DriftState,
  words: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DriftDimension" })
export type DriftDimension = typeof DriftDimension.Type

/** The tier according to the tags of the tenant's project. */
export const DriftTag = Schema.Struct({
  /** Every tier that a tag names: no tier and several tiers are drift. */
  tiers: Schema.Array(Tier),
  suspended: Schema.Boolean,
  state: DriftState,
  words: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DriftTag" })
export type DriftTag = typeof DriftTag.Type

export const TenantDrift = Schema.Struct({
  tenant: TenantRow,
  /** A readable value is not as it should be. */
  drifted: Schema.Boolean,
  /** Everything could be read. Otherwise there may be more drift than is shown. */
  complete: Schema.Boolean,
  tag: DriftTag,
  dimensions: Schema.Array(DriftDimension)
}).annotate({ identifier: "TenantDrift" })
export type TenantDrift = typeof TenantDrift.Type

/** What the write that repairs a tenant applied. */
export const Repaired = Schema.Struct({ tenant: TenantRow, applied: AppliedQuotas }).annotate({
  identifier: "Repaired"
})
export type Repaired = typeof Repaired.Type

/** Operator plane: compares what the tenants should have with what the services enforce. */
export class Drift extends HttpApiGroup.make("drift")
  .add(
    HttpApiEndpoint.get("show", "/tenants/drift", {
      query: { project_id: Schema.optionalKey(Schema.String), ...pageQuery },
      success: Schema.Struct({ ...pageFields, tenants: Schema.Array(TenantDrift) }).annotate({
        identifier: "DriftList"
      }),
      error: failures("tenant_not_found")
    }),
    HttpApiEndpoint.post("repair", "/tenants/:project_id/repair", {
      params: { project_id: Schema.String },
      success: Repaired,
      error: failures("concurrent_deletion_state", "quota_write_failed", "tenant_not_found", "tier_move_in_progress")
    })
  )
  // The role decides; an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
