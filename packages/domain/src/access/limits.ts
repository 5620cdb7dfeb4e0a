import type { Caller, PermissionTier, PolicyDeny } from "@portico/contract/Access"
import { Forbidden, Unavailable } from "@portico/contract/Failures"
import { Policies } from "@portico/store/Policies"
import { Effect } from "effect"
import { combine, meaningOf } from "./combine.ts"

/** What an account's policies leave to whoever is in one of its units. */
export interface Limits {
  readonly maxTier: PermissionTier
  readonly denies: ReadonlyArray<PolicyDeny>
}

/**
 * Of a unit, or of the account itself; of several units together what each of
 * them leaves.
 *
 * @param units null for the account itself
 *
 * Errors: 503 when they cannot be read. Nobody is then let through as if there were none.
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

/** A unit that is above another one says nothing more; usually one is left. */
const lowest = (units: ReadonlyArray<string | null>): ReadonlyArray<string> => {
  const paths = [...new Set(units.map((_) => _ ?? ""))]
  const left = paths.filter((path) => !paths.some((_) => _ !== path && (path === "" || _.startsWith(`${path}.`))))
  return left.length === 0 ? [""] : left
}

/** The part of a {@link Caller} that policies decide. */
export const limited = (tier: PermissionTier, { denies, maxTier }: Limits, ou: string | null) => ({
  tier: tier < maxTier ? tier : maxTier,
  ...(ou === null ? {} : { ou }),
  ...(denies.length === 0 ? {} : { denies })
})

/**
 * The refusal of a call that a policy denies; undefined for one that it does not.
 *
 * @param area a service of the platform, or the first segment of a first-class route behind `/v1`
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
