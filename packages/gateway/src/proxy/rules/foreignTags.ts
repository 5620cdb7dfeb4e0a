import { Forbidden } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { isRead, type JsonObject, memberOf, word } from "../../acts/reading.ts"
import { type ConcernedCall, ruleAt } from "./Rule.ts"

/**
 * Refuses to write tags of another project's resource. Neutron lets every project that sees a resource write its tags
 * (CVE-2024-53916), so tenants could pass messages through the external network. A resource that the caller cannot
 * see is left to Neutron, which answers 404. Platform administrators are exempt.
 */
export const foreignTags = ruleAt<ReadonlyArray<string>>({
  at: (call) => resourceOf(call),
  reads: () => "head",
  check: Effect.fnUntraced(function* (path, call) {
    const found = yield* call.read(path)
    const owner = Predicate.isReadonlyObject(found) ? ownerIn(found) : undefined
    if (owner === undefined || owner === call.caller.tenant?.projectId) return
    return yield* Forbidden.platformAct(`${call.method} of tags`, "the thing is another project's")
  })
})

/** The project of the single resource in an answer. */
const ownerIn = (found: JsonObject): unknown => {
  const [resource] = Object.values(found)
  return memberOf(resource, "project_id")
}

/**
 * The path of the resource whose tags are written, without the prefix of an extension: Neutron writes tags behind
 * such a prefix, but cannot show every resource there.
 */
const resourceOf = ({ caller, method, segments, service }: ConcernedCall): ReadonlyArray<string> | undefined => {
  if (caller.admin || service !== "network" || isRead(method)) return undefined
  const at = segments.findIndex((_, i) => i >= 2 && word(_) === "tags")
  return at < 0 ? undefined : segments.slice(at - 2, at)
}
