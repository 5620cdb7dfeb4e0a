import type { Tier } from "@portico/contract/Tiers"
import type { TenantEntry } from "@portico/store/Tenants"

/** All tiers that a tenant may hold: its own first, then those of unfinished writes, and the one that it moves to. */
export const heldTiers = ({
  pending_tier,
  reached_tiers,
  tier
}: Pick<TenantEntry, "pending_tier" | "reached_tiers" | "tier">): ReadonlyArray<Tier> => [
  tier,
  ...reached_tiers,
  ...(pending_tier === null || pending_tier === "suspended" ? [] : [pending_tier])
]
