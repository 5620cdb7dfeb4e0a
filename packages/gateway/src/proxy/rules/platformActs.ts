import { Forbidden } from "@portico/contract/Failures"
import { Effect } from "effect"
import { type Act } from "../../acts/Act.ts"
import { actsAt, holds, keysOf, nameOf, readsBody } from "../../acts/matching.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/**
 * Calls that only the platform needs are refused to every tenant, at any tier: see the table of acts. The refusal
 * does not depend on the call's target. Platform administrators are exempt.
 */
export const platformActs: Rule = {
  concerns: (call) => {
    const acts = call.caller.admin ? [] : actsAt(call).filter(isNever)
    return acts.length === 0 ? "nothing" : acts.every(readsBody) ? "body" : "head"
  },
  check: Effect.fnUntraced(function* (call, body) {
    if (call.caller.admin) return
    const act = actsAt(call).find((_) => isNever(_) && isNamed(_, call, body))
    if (act !== undefined) return yield* Forbidden.platformAct(nameOf(call.method, act), act.why)
  })
}

const isNever = ({ decision }: Act): boolean => decision === "never"

/** Case is ignored, because a service might ignore it. */
const isNamed = (act: Act, call: PlatformCall, body: unknown): boolean => {
  const key = act.key?.toLowerCase()
  return key === undefined ? holds(act, call, body) : keysOf(body).some((_) => _.toLowerCase() === key)
}
