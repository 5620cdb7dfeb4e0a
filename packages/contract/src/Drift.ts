import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authenticated, MinimumTier, PlatformAdmin, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { pageFields, pageQuery } from "./Page.ts"
import { AppliedQuotas, TenantRow } from "./Tenants.ts"
import { Tier } from "./Tiers.ts"

/**
 * `equal`: as the catalogue has it. `drifted`: not. `held`: above the
 * catalogue, because that much is in use and no release of block storage takes
 * a limit below its usage; no drift. `absent`: the service holds nothing for
 * the tenant, which is drift. `unreadable`: nobody knows, and `words` says why.
 */
export const DriftState = Schema.Literals(["equal", "drifted", "held", "absent", "unreadable"])
export type DriftState = typeof DriftState.Type

/** A quota of a tenant: what its tier in our table grants (zero when it is suspended), and what its service enforces. */
export const DriftDimension = Schema.Struct({
  service: Schema.Literals(["nova", "cinder", "neutron", "octavia", "rgw"]),
  /** The service's own word for it. */
  dimension: Schema.String,
  /** In the service's own unit: MiB of memory, GiB of block storage, bytes of object storage. */
  wanted: Schema.Int,
  /** Below zero: unlimited, but for `max_buckets`, which it forbids. Null when it is absent or unreadable. */
  actual: Schema.NullOr(Schema.Int),
  state: DriftState,
  words: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DriftDimension" })
export type DriftDimension = typeof DriftDimension.Type

/** What the tags of the tenant's project say of its tier. */
export const DriftTag = Schema.Struct({
  /** Every tier that a tag names: none and several are drift. */
  tiers: Schema.Array(Tier),
  suspended: Schema.Boolean,
  state: DriftState,
  words: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DriftTag" })
export type DriftTag = typeof DriftTag.Type

export const TenantDrift = Schema.Struct({
  tenant: TenantRow,
  /** Something that could be read is not as it should be. */
  drifted: Schema.Boolean,
  /** Everything could be read; otherwise there may be more drift than is seen. */
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

/** Operator plane: what the tenants should have, against what the services enforce. */
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
  // The role decides, and an administrator holds tier 2.
  .annotateEndpoints(MinimumTier, 0)
  .middleware(WellFormed)
  .middleware(PlatformAdmin)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
