import { Caller } from "@portico/contract/Access"

/** What every caller has been as an agent, so that the same caller stays the same object. */
const known = new WeakMap<Caller, Caller>()

/**
 * The caller with an agent's rights (contract, Authentication 8 and 12): tier 1 at most, no stored secrets, no
 * person's role, whichever token it presents. What a person or a key may do beyond that, its agent may not.
 */
export const asAgent = (caller: Caller): Caller => {
  const before = known.get(caller)
  if (before !== undefined) return before
  const agent = new Caller({
    ...caller,
    tier: caller.tier === 0 ? 0 : 1,
    kind: "mcp",
    admin: false,
    human: false,
    role: null
  })
  known.set(caller, agent)
  return agent
}
