import type { DriftDimension, DriftState, DriftTag } from "@portico/contract/Drift"
import { Tier } from "@portico/contract/Tiers"
import { type Project, suspendedTag, tierTag } from "@portico/upstream/keystone/Keystone"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Result } from "effect"

/** What a service was asked, or why it cannot be read. */
export type Read<A> = Result.Result<A, UpstreamError>

type Service = DriftDimension["service"]

/** An enforced limit, and as much of it as is in use, where that keeps a limit from being lowered. */
export interface Enforced {
  readonly limit: number
  readonly floor?: number
}

/**
 * Every quota that the catalogue has for a service, against what the service
 * enforces. A service that could not be read says nothing of any of them.
 *
 * @param read undefined when the service holds nothing for the tenant
 */
export const dimensionsOf = <Key extends string>(
  service: Service,
  wanted: Readonly<Record<Key, number>>,
  read: Read<Readonly<Record<NoInfer<Key>, Enforced>> | undefined>
): ReadonlyArray<DriftDimension> =>
  keysOf(wanted).map((dimension) => {
    const row = { service, dimension, wanted: wanted[dimension], actual: null, words: null } as const
    if (Result.isFailure(read)) return { ...row, state: "unreadable", words: read.failure.sentence }
    if (read.success === undefined) return { ...row, state: "absent" }
    const enforced = read.success[dimension]
    return { ...row, actual: enforced.limit, state: stateOf(wanted[dimension], enforced) }
  })

const keysOf = <Key extends string>(record: Readonly<Record<Key, number>>): ReadonlyArray<Key> =>
  // The keys of the catalogue's own literals, which hold no others.
  Object.keys(record).filter((key): key is Key => Object.hasOwn(record, key))

/** Held as long as the limit is no higher than what is in use: writing it again would leave it where it is, or raise it. */
const stateOf = (wanted: number, { floor, limit }: Enforced): DriftState =>
  limit === wanted ? "equal" : floor !== undefined && limit > wanted && limit <= floor ? "held" : "drifted"

/** Exactly one tier's tag, that of our table, and the suspension's as it is there. */
export const tagOf = (
  entry: { readonly tier: Tier; readonly suspended: boolean },
  read: Read<Project | undefined>
): DriftTag => {
  const nothing = { tiers: [], suspended: false, words: null }
  if (Result.isFailure(read)) return { ...nothing, state: "unreadable", words: read.failure.sentence }
  if (read.success === undefined) return { ...nothing, state: "absent" }
  const { tags } = read.success
  const tiers = Tier.literals.filter((_) => tags.includes(tierTag(_)))
  const suspended = tags.includes(suspendedTag)
  const equal = tiers.length === 1 && tiers[0] === entry.tier && suspended === entry.suspended
  return { tiers, suspended, state: equal ? "equal" : "drifted", words: null }
}
