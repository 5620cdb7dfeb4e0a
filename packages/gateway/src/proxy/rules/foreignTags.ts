import { Forbidden } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { isRead, word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/**
 * Neutron lets every project that sees a thing write its tags
 * (CVE-2024-53916): the external network would carry words from tenant to
 * tenant. A thing that cannot be seen is left to Neutron, which does not find
 * it. Platform administrators are free.
 */
export const othersTags: Rule = {
  concerns: (call) => (thingOf(call) === undefined ? "nothing" : "head"),
  check: Effect.fnUntraced(function* (call) {
    const path = thingOf(call)
    if (path === undefined) return
    const found = yield* call.read(path)
    const owner = Predicate.isReadonlyObject(found) ? ownerIn(found) : undefined
    if (owner === undefined || owner === call.caller.tenant?.projectId) return
    return yield* Forbidden.platformAct(`${call.method} of tags`, "the thing is another project's")
  })
}

/** Of an answer, the project of the one thing that it shows. */
const ownerIn = (found: { readonly [key: PropertyKey]: unknown }): unknown => {
  const [thing] = Object.values(found)
  return Predicate.isReadonlyObject(thing) ? thing["project_id"] : undefined
}

/**
 * The path of the thing whose tags are written. Without the prefix of an
 * extension that may stand in front of it: Neutron writes tags behind one of
 * things that it cannot show there.
 */
const thingOf = ({ caller, method, segments, service }: PlatformCall): ReadonlyArray<string> | undefined => {
  if (caller.admin || service !== "network" || isRead(method)) return undefined
  const at = segments.findIndex((_, i) => i >= 2 && word(_) === "tags")
  return at < 0 ? undefined : segments.slice(at - 2, at)
}
