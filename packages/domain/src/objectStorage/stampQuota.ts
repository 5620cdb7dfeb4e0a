import { Conflict } from "@portico/contract/Failures"
import { serviceQuotas, type Tier, zeroQuotas } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { DateTime, Effect } from "effect"
import { tierOf } from "../ceilings/tenantTier.ts"

/** What a tenant is allowed, as its S3 user holds it now. */
export interface Stamped {
  readonly tier: Tier
  readonly suspended: boolean
}

/**
 * Writes the tier's quota to the tenant's S3 user, and makes the user when
 * there is none. A quota that drifted is as it should be afterwards; a
 * suspended tenant's is zero, with buckets forbidden, since zero of them would
 * mean unlimited.
 *
 * Errors: 503 when the tier cannot be read, before anything else is asked; 404
 * for a project without a tier; 409 while the quotas are being changed;
 * UpstreamError and Taken.
 */
export const stampQuota = Effect.fn("objectStorage.stampQuota")(function* (projectId: string) {
  const allowed: Stamped = yield* tierOf(projectId)
  const tenants = yield* Tenants
  const tenant = yield* tenants.find(projectId)
  // A tier move writes this quota too: of the two, the older one would win.
  const now = yield* DateTime.now
  if (tenant?.change_ends && DateTime.isGreaterThan(tenant.change_ends, now))
    return yield* Conflict.tierMoveInProgress(projectId)
  const quotas = allowed.suspended ? zeroQuotas : serviceQuotas(allowed.tier)
  const stamp = tenant?.stamp ?? `portico-project:${projectId}`
  yield* (yield* Rgw).writeQuotas({ projectId, stamp, quotas: quotas.rgw })
  return allowed
})
