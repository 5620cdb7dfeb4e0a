import { Forbidden } from "@portico/contract/Failures"
import { denied } from "@portico/domain/access/limits"
import { Effect } from "effect"
import type { Act } from "../../acts/Act.ts"
import { actsAt, holds, keysOf, nameOf, readsBody } from "../../acts/matching.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/**
 * What destroys needs tier 2, and is denied by a policy's `:destroy`, whatever
 * its method: see the table of acts. An act that a body names counts as
 * harmless only when the table has it letter by letter, because a name that it
 * does not have may be anything.
 */
export const destructiveActs: Rule = {
  concerns: (call) => {
    if (!isLimited(call)) return "nothing"
    const acts = actsAt(call).filter(mayDestroy)
    return acts.length === 0 ? "nothing" : acts.some(readsBody) ? "body" : "head"
  },
  check: Effect.fnUntraced(function* (call, body) {
    if (!isLimited(call)) return
    const what = destroyed(call, body)
    if (what === undefined) return
    const { caller, service } = call
    if (caller.tier < 2) return yield* Forbidden.tierTooLow(what, 2, caller.tier)
    const denial = denied(caller, service, 2)
    if (denial !== undefined) return yield* denial
  })
}

/** For the rest it makes no difference what a call does, and its body is not read for that. */
const isLimited = ({ caller, service }: PlatformCall): boolean =>
  caller.tier < 2 || denied(caller, service, 2) !== undefined

const mayDestroy = (act: Act): boolean => act.decision === "destroys" || act.key !== undefined

/** What the call destroys, as a refusal names it; undefined for nothing. */
const destroyed = (call: PlatformCall, body: unknown): string | undefined => {
  const acts = actsAt(call)
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
