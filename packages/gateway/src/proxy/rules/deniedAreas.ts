import { denied } from "@portico/domain/access/limits"
import { Effect } from "effect"
import { actsAt, areasOf, isAct, readsBody } from "../../acts/matching.ts"
import { ruleAt } from "./Rule.ts"

/**
 * A policy's deny of an area covers the calls of other services that act on it: see the table of acts. The area of the
 * call's own service is checked before, with its path.
 */
export const deniedAreas = ruleAt({
  at: (call) => {
    if (call.caller.denies === undefined) return undefined
    const acts = actsAt(call).filter((act) =>
      areasOf(act, call).some(([area, tier]) => denied(call.caller, area, tier) !== undefined)
    )
    return acts.length === 0 ? undefined : acts
  },
  reads: (acts) => (acts.every(readsBody) ? "body" : "head"),
  check: Effect.fnUntraced(function* (acts, call, body) {
    for (const act of acts.filter((_) => isAct(_, call, body))) {
      for (const [area, tier] of areasOf(act, call)) {
        const denial = denied(call.caller, area, tier)
        if (denial !== undefined) return yield* denial
      }
    }
  })
})
