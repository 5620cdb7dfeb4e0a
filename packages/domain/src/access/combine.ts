import type { PermissionTier } from "@portico/contract/Access"
import { denyLevels } from "@portico/contract/Policy"
import type { PolicyRow } from "@portico/store/Policies"

/** One step of the way from the account to a unit. */
export type Step = Pick<PolicyRow, "ou" | "max_tier" | "denies">

/** What the policies on the way come to, and which unit decided each part of it. */
export interface Combined {
  /** Null when none says one. */
  readonly maxTier: { readonly tier: PermissionTier; readonly from: string } | null
  readonly denies: ReadonlyArray<{ readonly deny: string; readonly from: string }>
}

/**
 * The lowest tier wins, and denies accumulate (contract, organisation units).
 * Of units that say the same, the one nearest to the account decided it:
 * without it, those below could not have said more.
 *
 * @param steps from the account down
 */
export const combine = (steps: ReadonlyArray<Step>): Combined => {
  let maxTier: Combined["maxTier"] = null
  const denies = new Map<string, string>()
  for (const { denies: said, max_tier: tier, ou: from } of steps) {
    if (tier !== null && (maxTier === null || tier < maxTier.tier)) maxTier = { tier, from }
    for (const deny of said) if (!denies.has(deny)) denies.set(deny, from)
  }
  return { maxTier, denies: [...denies].map(([deny, from]) => ({ deny, from })) }
}

const isLevel = (level: string): level is keyof typeof denyLevels => Object.hasOwn(denyLevels, level)

/**
 * What a deny means: calls of the area that need at least this tier.
 * `area` and `area:read` are all of them, `area:operate` what is not just
 * read, `area:destroy` what needs tier 2. Undefined when it is not written like that.
 */
export const meaningOf = (deny: string): { readonly area: string; readonly from: PermissionTier } | undefined => {
  const [area = "", level = "read", ...more] = deny.split(":")
  return more.length === 0 && isLevel(level) ? { area, from: denyLevels[level] } : undefined
}
