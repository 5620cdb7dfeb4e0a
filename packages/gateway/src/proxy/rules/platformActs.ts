import { Forbidden } from "@portico/contract/Failures"
import { Effect } from "effect"
import { actsAt, isAct, nameOf, readsBody } from "../../acts/matching.ts"
import { ruleAt } from "./Rule.ts"

/**
 * Calls that only the platform needs are refused to every tenant, at any tier: see the table of acts. The refusal
 * does not depend on the call's target. Platform administrators are exempt.
 */
export const platformActs = ruleAt({
  at: (call) => {
    const acts = call.caller.admin ? [] : actsAt(call).filter((_) => _.decision === "never")
    return acts.length === 0 ? undefined : acts
  },
  reads: (acts) => (acts.every(readsBody) ? "body" : "head"),
  check: (acts, call, body) => {
    const act = acts.find((_) => isAct(_, call, body))
    return act === undefined ? Effect.void : Forbidden.platformAct(nameOf(call.method, act), act.why)
  }
})
