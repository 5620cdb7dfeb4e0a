import { Conflict } from "@portico/contract/Failures"
import type { TenantRow } from "@portico/contract/Tenants"
import type { Tier } from "@portico/contract/Tiers"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { DateTime, Effect } from "effect"

export const tenantRow = (entry: TenantEntry): TenantRow => ({
  project_id: entry.project_id,
  slug: entry.slug,
  project_name: entry.slug,
  tenant_name: entry.name,
  name: entry.name,
  tier: entry.tier,
  suspended: entry.suspended,
  pending_tier: entry.pending_tier,
  created_at: DateTime.formatIso(entry.created_at)
})

/**
 * Runs a change under its lease. On success the tenant has the new tier and
 * suspension. On failure the lease is released, and `pending_tier` stays as the
 * sign of a change that is half done.
 */
export const changing = Effect.fnUntraced(function* <A, E, R>(
  tenant: TenantEntry,
  lease: string,
  to: { readonly tier: Tier; readonly suspended: boolean },
  change: Effect.Effect<A, E, R>
) {
  const tenants = yield* Tenants
  const applied = yield* Effect.onError(change, () => tenants.releaseChange(tenant.project_id, lease))
  const moved = yield* tenants.endChange(tenant.project_id, lease, to)
  // The lease is longer than all time-outs together. Its present holder writes the quotas again.
  if (moved === undefined) return yield* Conflict.tierMoveInProgress(tenant.project_id)
  return { applied, moved }
})
