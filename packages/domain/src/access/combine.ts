import type { PermissionTier } from "@portico/contract/Access"
import { denyLevels } from "@portico/contract/Policy"
import type { PolicyRow } from "@portico/store/Policies"

/** The policy of one unit on the path from the account down to a unit. */
export type Step = Pick<PolicyRow, "ou" | "max_tier" | "denies">

/** The combined policies of a path, and the unit that decided each part. */
export interface Combined {
  /** Null when no policy sets a tier. */
  readonly maxTier: { readonly tier: PermissionTier; readonly from: string } | null
  readonly denies: ReadonlyArray<{ readonly deny: string; readonly from: string }>
}

/**
 * The lowest tier wins, and denies accumulate (contract, organisation units). When several units
 * say the same, the one nearest to the account counts as the one that decided it.
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
 * Parses a deny: it denies calls of the area that need at least this tier. `area` and `area:read`
 * deny all calls, `area:operate` all but reads, `area:destroy` those that need tier 2. Undefined
 * for any other form.
 */
export const meaningOf = (deny: string): { readonly area: string; readonly from: PermissionTier } | undefined => {
  const [area = "", level = "read", ...more] = deny.split(":")
  return more.length === 0 && isLevel(level) ? { area, from: denyLevels[level] } : undefined
}
