import { Conflict } from "@portico/contract/Failures"
import { serviceQuotas, type Tier, zeroQuotas } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { DateTime, Effect } from "effect"
import { tierOf } from "../limits/tenantTier.ts"

/** The tier and the suspension that the S3 user's quota now reflects. */
export interface Stamped {
  readonly tier: Tier
  readonly suspended: boolean
}

/**
 * Writes the tier's quota to the tenant's S3 user, and creates the user when
 * there is none. This corrects a quota that has drifted. A suspended tenant's
 * quota is zero, with buckets forbidden, because the object gateway takes a
 * maximum of zero buckets as unlimited.
 *
 * Errors: 503 when the tier cannot be read, before any other call; 404 for a
 * project without a tier; 409 while the quotas are being changed; UpstreamError
 * and Taken.
 */
export const stampQuota = Effect.fn("objectStorage.stampQuota")(function* (projectId: string) {
  const allowed: Stamped = yield* tierOf(projectId)
  const tenants = yield* Tenants
  const tenant = yield* tenants.find(projectId)
  // A tier move writes this quota too: a concurrent write here could overwrite the newer one.
  const now = yield* DateTime.now
  if (tenant?.change_ends && DateTime.isGreaterThan(tenant.change_ends, now))
    return yield* Conflict.tierMoveInProgress(projectId)
  const quotas = allowed.suspended ? zeroQuotas : serviceQuotas(allowed.tier)
  const stamp = tenant?.stamp ?? `portico-project:${projectId}`
  yield* (yield* Rgw).writeQuotas({ projectId, stamp, quotas: quotas.rgw })
  return allowed
})
