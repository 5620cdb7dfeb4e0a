import type { Caller, PermissionTier } from "@portico/contract/Access"
import { agentMints } from "@portico/contract/Credentials"
import { Forbidden } from "@portico/contract/Failures"
import { longestChain, type Makers } from "@portico/store/makers"
import { DateTime, Duration } from "effect"
import { liesWithin } from "../access/networks.ts"

/** The credential that a caller wants to mint or rotate. */
export interface RequestedCredential {
  readonly kind: "api-key" | "mcp"
  readonly tier: PermissionTier
  readonly networks: ReadonlyArray<string> | null
  readonly endsAt: DateTime.Utc | null
}

/**
 * Why a caller may not have a credential like this; undefined when it may. A credential must not
 * exceed the caller: no higher tier, no other networks, no later end. An agent may only mint
 * agents' credentials.
 */
export const beyond = (caller: Caller, wanted: RequestedCredential, now: DateTime.Utc) => {
  if (wanted.tier > caller.tier) return Forbidden.tierTooLow(undefined, wanted.tier, caller.tier)
  if (caller.networks !== undefined) {
    if (wanted.networks === null || !liesWithin(wanted.networks, caller.networks)) {
      return Forbidden.credentialBeyondOwn()
    }
  }
  const end = endOf(caller)
  if (end !== null && isLater(wanted.endsAt, end)) return Forbidden.credentialOutlives(DateTime.formatIso(end))
  return beyondAgent(caller, wanted, now)
}

/** Why an agent may not have a credential like this; undefined for other callers, and when it may. */
export const beyondAgent = (caller: Caller, wanted: Omit<RequestedCredential, "networks">, now: DateTime.Utc) => {
  if (caller.kind !== "mcp") return undefined
  const latest = agentsEnd(now)
  const isAgents = wanted.kind === agentMints.kind && wanted.tier <= agentMints.tier && !isLater(wanted.endsAt, latest)
  return isAgents ? undefined : Forbidden.agentMints()
}

/** The default expiry of a credential: the caller's own, and for an agent seven days from now at the latest. */
export const defaultEnd = (caller: Caller, now: DateTime.Utc): DateTime.Utc | null => {
  const end = endOf(caller)
  if (caller.kind !== "mcp") return end
  const latest = agentsEnd(now)
  return end === null ? latest : DateTime.min(end, latest)
}

/** Whether the chain of makers, which starts with the caller, is too long for another credential. */
export const isTooDeep = (makers: Makers): boolean => makers.length > longestChain

const agentsEnd = (now: DateTime.Utc) => DateTime.addDuration(now, Duration.days(agentMints.days))

const endOf = ({ expiresAt }: Caller): DateTime.Utc | null =>
  expiresAt === undefined ? null : DateTime.makeUnsafe(expiresAt)

const isLater = (a: DateTime.Utc | null, b: DateTime.Utc): boolean => a === null || DateTime.isGreaterThan(a, b)
