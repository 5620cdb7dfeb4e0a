import type { Caller, PermissionTier, PolicyDeny } from "@portico/contract/Access"
import { Forbidden, Unavailable } from "@portico/contract/Failures"
import { Policies, type PolicyRow } from "@portico/store/Policies"
import { Effect } from "effect"
import { denyLevels } from "@portico/contract/Policy"

/** The limits that an account's policies set for callers in one of its units. */
export interface Limits {
  readonly maxTier: PermissionTier
  readonly denies: ReadonlyArray<PolicyDeny>
}

/**
 * The limits of a unit, or of the account itself; for several units the strictest of each limit.
 *
 * @param units empty for the account itself; each of them once
 *
 * Errors: 503 when the policies cannot be read. No caller then passes as if there were none.
 */
export const limitsOf = Effect.fnUntraced(
  function* (projectId: string, units: ReadonlyArray<string>) {
    const policies = yield* Policies
    const along = yield* Effect.forEach(lowest(units), (_) => policies.along(projectId, _), {
      concurrency: "unbounded"
    })
    const { denies, maxTier } = combine(along.flat())
    return {
      maxTier: maxTier?.tier ?? 2,
      denies: denies.flatMap(({ deny, from: ou }) => {
        const meaning = meaningOf(deny)
        return meaning === undefined ? [] : [{ ...meaning, deny, ou }]
      })
    } satisfies Limits
  },
  Effect.catchDefect((defect) =>
    Effect.andThen(
      Effect.logError("the access policies of an account cannot be read", defect),
      Effect.fail(Unavailable.policyUnreadable())
    )
  )
)

/** Drops units that are ancestors of another one, because the path to that one includes them. Usually one is left. */
const lowest = (units: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = units.filter((unit) => !units.some((_) => _.startsWith(`${unit}.`)))
  return left.length === 0 ? [""] : left
}

/** The fields of a {@link Caller} that policies decide. */
export const limited = (tier: PermissionTier, { denies, maxTier }: Limits, ou: string | null) => ({
  tier: tier < maxTier ? tier : maxTier,
  ...(ou === null ? {} : { ou }),
  ...(denies.length === 0 ? {} : { denies })
})

/**
 * The 403 of a call that a policy denies; undefined for any other call.
 *
 * @param area a service of the platform, or the first segment of a first-class route after `/v1`
 * @param needed the tier that the call needs
 */
export const denied = (
  { denies }: Pick<Caller, "denies">,
  area: string,
  needed: PermissionTier
): Forbidden<"policy_denied"> | undefined => {
  if (denies === undefined) return undefined
  const deny = denies.find((_) => _.area === area && needed >= _.from)
  return deny && Forbidden.policyDenies(deny.ou, deny.deny)
}

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
