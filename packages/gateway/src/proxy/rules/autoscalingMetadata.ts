import { Forbidden } from "@portico/contract/Failures"
import { groupKey, slotKey } from "@portico/domain/autoscaling/members"
import { Effect, Predicate } from "effect"
import { folded, isWrite, memberOf, word } from "../../acts/reading.ts"
import { type ConcernedCall, ruleAt } from "./Rule.ts"

const reserved: ReadonlySet<string | undefined> = new Set([groupKey, slotKey])

/** The metadata of a server that a call writes. */
interface Written {
  /** The server, which has metadata already; undefined for a new one. */
  readonly server?: string
  /** The members of the body on the way to the metadata. */
  readonly below: ReadonlyArray<string>
}

/**
 * No tenant gives a server the metadata by which autoscaling finds the servers of its groups: a group would take the
 * server for its own and delete it, for a caller of tier 1. A write that leaves the present values as they are passes,
 * so that a client can send all the metadata of a group's server back. Platform administrators are exempt.
 */
export const autoscalingMetadata = ruleAt<Written>({
  at: (call) => writtenBy(call),
  reads: () => "body",
  check: Effect.fnUntraced(function* ({ below, server }, call, body) {
    const given = memberOf(body, ...below)
    const keys = Predicate.isReadonlyObject(given) ? Object.keys(given).filter((_) => reserved.has(folded(_))) : []
    const [first] = keys
    if (first === undefined) return
    if (server !== undefined) {
      const found = yield* call.read(["servers", server, "metadata"])
      if (keys.every((_) => memberOf(given, _) === memberOf(found, "metadata", _))) return
    }
    return yield* Forbidden.platformAct(
      `${call.method} of servers with metadata ${folded(first)}`,
      "autoscaling finds the servers of its groups by it, and deletes them"
    )
  })
})

/** Compute takes metadata when it makes and rebuilds a server, and in the metadata itself, whole or by the key. */
const writtenBy = ({ caller, method, segments, service }: ConcernedCall): Written | undefined => {
  if (caller.admin || service !== "compute" || !isWrite(method)) return undefined
  const [collection, server, part] = segments
  const isServers = word(collection) === "servers"
  if (!isServers && word(collection) !== "os-volumes-boot") return undefined
  if (server === undefined) return { below: ["server", "metadata"] }
  if (word(part) === "action") return { server, below: ["rebuild", "metadata"] }
  if (!isServers || word(part) !== "metadata") return undefined
  return { server, below: [segments.length > 3 ? "meta" : "metadata"] }
}
