import type { Caller, PermissionTier } from "@portico/contract/Access"
import { agentMints } from "@portico/contract/Credentials"
import { Forbidden } from "@portico/contract/Failures"
import { longestChain, type Makers } from "@portico/store/makers"
import { DateTime, Duration } from "effect"
import { liesWithin } from "../access/networks.ts"

/** What somebody wants to get hold of: a credential that is to be minted, or one that is to be rotated. */
export interface Wanted {
  readonly kind: "api-key" | "mcp"
  readonly tier: PermissionTier
  readonly networks: ReadonlyArray<string> | null
  readonly endsAt: DateTime.Utc | null
}

/**
 * Why a caller cannot have a credential like this, if so. It would be more
 * than the caller is: of a higher tier, of other networks, or it would live
 * longer. An agent has agents' credentials only.
 */
export const beyond = (caller: Caller, wanted: Wanted, now: DateTime.Utc) => {
  if (wanted.tier > caller.tier) return Forbidden.tierTooLow(undefined, wanted.tier, caller.tier)
  if (caller.networks !== undefined) {
    if (wanted.networks === null || !liesWithin(wanted.networks, caller.networks)) {
      return Forbidden.credentialBeyondOwn()
    }
  }
  const end = endOf(caller)
  if (end !== null && isLater(wanted.endsAt, end)) return Forbidden.credentialOutlives(DateTime.formatIso(end))
  if (caller.kind !== "mcp") return undefined
  const latest = agentsEnd(now)
  const isAgents = wanted.kind === agentMints.kind && wanted.tier <= agentMints.tier && !isLater(wanted.endsAt, latest)
  return isAgents ? undefined : Forbidden.agentMints()
}

/** When what a caller makes ends that says nothing of it: with the caller, and an agent's after seven days at the latest. */
export const usualEnd = (caller: Caller, now: DateTime.Utc): DateTime.Utc | null => {
  const end = endOf(caller)
  if (caller.kind !== "mcp") return end
  const latest = agentsEnd(now)
  return end === null ? latest : DateTime.min(end, latest)
}

/** Whether one more can be below these makers, the caller being the first of them. */
export const isTooDeep = (makers: Makers): boolean => makers.length > longestChain

const agentsEnd = (now: DateTime.Utc) => DateTime.addDuration(now, Duration.days(agentMints.days))

const endOf = ({ expiresAt }: Caller): DateTime.Utc | null =>
  expiresAt === undefined ? null : DateTime.makeUnsafe(expiresAt)

const isLater = (a: DateTime.Utc | null, b: DateTime.Utc): boolean => a === null || DateTime.isGreaterThan(a, b)
