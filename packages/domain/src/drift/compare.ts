import type { DriftDimension, DriftState, DriftTag } from "@portico/contract/Drift"
import { withWords } from "@portico/contract/formerWords"
import { Tier } from "@portico/contract/Tiers"
import { type Project, suspendedTag, tierTag } from "@portico/upstream/keystone/Keystone"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Result } from "effect"

/** What a service returned, or why it cannot be read. */
export type Read<A> = Result.Result<A, UpstreamError>

type Service = DriftDimension["service"]

/** An enforced limit. `floor` is the current use, for a service that does not lower a limit below it. */
export interface Enforced {
  readonly limit: number
  readonly floor?: number
}

/**
 * Compares every quota in the catalogue for a service with what the service enforces. All quotas of
 * a service that cannot be read are `unreadable`.
 *
 * @param read undefined when the service has nothing for the tenant
 */
export const dimensionsOf = <Key extends string>(
  service: Service,
  wanted: Readonly<Record<Key, number>>,
  read: Read<Readonly<Record<NoInfer<Key>, Enforced>> | undefined>
): ReadonlyArray<DriftDimension> =>
  keysOf(wanted).map((dimension) => {
    const row = {
      service,
      dimension,
      wanted: wanted[dimension],
      actual: null,
      ...withWords({ message: null })
    } as const
    if (Result.isFailure(read)) return { ...row, state: "unreadable", ...withWords({ message: read.failure.summary }) }
    if (read.success === undefined) return { ...row, state: "absent" }
    const enforced = read.success[dimension]
    return { ...row, actual: enforced.limit, state: stateOf(wanted[dimension], enforced) }
  })

const keysOf = <Key extends string>(record: Readonly<Record<Key, number>>): ReadonlyArray<Key> =>
  // The catalogue's own literals have no other keys.
  Object.keys(record).filter((key): key is Key => Object.hasOwn(record, key))

/**
 * `held` while the limit is above the wanted one but not above the current use: writing it again
 * would leave it unchanged, or raise it.
 */
const stateOf = (wanted: number, { floor, limit }: Enforced): DriftState =>
  limit === wanted ? "equal" : floor !== undefined && limit > wanted && limit <= floor ? "held" : "drifted"

/**
 * Compares the project's tags with the table: exactly one tier tag, the table's, and the
 * suspension's tag if suspended.
 */
export const tagOf = (
  entry: { readonly tier: Tier; readonly suspended: boolean },
  read: Read<Project | undefined>
): DriftTag => {
  const nothing = { tiers: [], suspended: false, ...withWords({ message: null }) }
  if (Result.isFailure(read))
    return { ...nothing, state: "unreadable", ...withWords({ message: read.failure.summary }) }
  if (read.success === undefined) return { ...nothing, state: "absent" }
  const { tags } = read.success
  const tiers = Tier.literals.filter((_) => tags.includes(tierTag(_)))
  const suspended = tags.includes(suspendedTag)
  const equal = tiers.length === 1 && tiers[0] === entry.tier && suspended === entry.suspended
  return { ...nothing, tiers, suspended, state: equal ? "equal" : "drifted" }
}
