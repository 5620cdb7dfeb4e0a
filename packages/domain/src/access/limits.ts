import type { Caller, PermissionTier, PolicyDeny } from "@portico/contract/Access"
import { Forbidden, Unavailable } from "@portico/contract/Failures"
import { Policies } from "@portico/store/Policies"
import { Effect } from "effect"
import { combine, meaningOf } from "./combine.ts"

/** The limits that an account's policies set for callers in one of its units. */
export interface Limits {
  readonly maxTier: PermissionTier
  readonly denies: ReadonlyArray<PolicyDeny>
}

/**
 * The limits of a unit, or of the account itself; for several units the strictest of each limit.
 *
 * @param units null for the account itself
 *
 * Errors: 503 when the policies cannot be read. No caller then passes as if there were none.
 */
export const limitsOf = Effect.fnUntraced(
  function* (projectId: string, units: ReadonlyArray<string | null>) {
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
const lowest = (units: ReadonlyArray<string | null>): ReadonlyArray<string> => {
  const paths = [...new Set(units.map((_) => _ ?? ""))]
  const left = paths.filter((path) => !paths.some((_) => _ !== path && (path === "" || _.startsWith(`${path}.`))))
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
