import { Conflict } from "@portico/contract/Failures"
import type { Tier } from "@portico/contract/Tiers"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { Fence } from "@portico/upstream/Fence"
import { Effect } from "effect"

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
  const isHeld = Effect.map(tenants.find(tenant.project_id), (_) => _?.change_lease === lease)
  const fenced = Effect.provideService(change, Fence, isHeld)
  const applied = yield* Effect.onError(fenced, () => tenants.releaseChange(tenant.project_id, lease))
  const moved = yield* tenants.endChange(tenant.project_id, lease, to)
  // The lease is longer than all time-outs together. Its present holder writes the quotas again.
  if (moved === undefined) return yield* Conflict.tierMoveInProgress(tenant.project_id)
  return { applied, moved }
})
