import { Forbidden } from "@portico/contract/Failures"
import { denied } from "@portico/domain/access/limits"
import { Effect } from "effect"
import type { Act } from "../../acts/Act.ts"
import { actsAt, holds, keysOf, nameOf, readsBody } from "../../acts/matching.ts"
import { type ConcernedCall, type PlatformCall, ruleAt } from "./Rule.ts"

/**
 * A destructive call needs tier 2, and a policy's `:destroy` denies it, whatever its method: see the table of acts.
 * An act that the body names is harmless only when the table has its exact name, because an unknown name may do
 * anything.
 */
export const destructiveActs = ruleAt({
  at: (call) => {
    const acts = isLimited(call) ? actsAt(call).filter(mayDestroy) : []
    return acts.length === 0 ? undefined : acts
  },
  reads: (acts) => (acts.some(readsBody) ? "body" : "head"),
  check: Effect.fnUntraced(function* (acts, call, body) {
    const what = destroyed(acts, call, body)
    if (what === undefined) return
    const { caller, service } = call
    if (caller.tier < 2) return yield* Forbidden.tierTooLow(what, 2, caller.tier)
    const denial = denied(caller, service, 2)
    if (denial !== undefined) return yield* denial
  })
})

/** Whether destruction is forbidden to the caller. For other callers the body need not be read. */
const isLimited = ({ caller, service }: ConcernedCall): boolean =>
  caller.tier < 2 || denied(caller, service, 2) !== undefined

const mayDestroy = (act: Act): boolean => act.decision === "destroys" || act.key !== undefined

/** The destructive act of the call, as the failure detail names it; undefined for none. */
const destroyed = (acts: ReadonlyArray<Act>, call: PlatformCall, body: unknown): string | undefined => {
  const keyed = acts.filter((_) => _.key !== undefined)
  if (keyed[0] !== undefined) {
    for (const key of keysOf(body)) {
      const act = keyed.find((_) => _.key === key)
      if (act === undefined) return nameOf(call.method, keyed[0], false)
      if (act.decision === "destroys") return nameOf(call.method, act)
    }
  }
  const act = acts.find((_) => _.key === undefined && _.decision === "destroys" && holds(_, call, body))
  return act && nameOf(call.method, act)
}
