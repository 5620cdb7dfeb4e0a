import { Forbidden } from "@portico/contract/Failures"
import { Effect } from "effect"
import { actsAt, isAct, readsBody } from "../../acts/matching.ts"
import { ruleAt } from "./Rule.ts"

/**
 * An agent gives nobody else access to anything of the tenant's: see the table of acts. What was given is out of
 * the tenant's hands, and the gateway cannot tell a person's confirmation from one that the agent made up.
 */
export const gifts = ruleAt({
  at: (call) => {
    const acts = call.caller.kind === "mcp" ? actsAt(call).filter((_) => _.gives === true) : []
    return acts.length === 0 ? undefined : acts
  },
  reads: (acts) => (acts.every(readsBody) ? "body" : "head"),
  check: (acts, call, body) =>
    acts.some((_) => isAct(_, call, body)) ? Effect.fail(Forbidden.giftOfAgent()) : Effect.void
})
