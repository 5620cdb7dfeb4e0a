import { NotFound } from "@portico/contract/Failures"
import { Effect } from "effect"
import { isWrite, memberOf, word } from "../../acts/reading.ts"
import { type ConcernedCall, type PlatformCall, ruleAt } from "./Rule.ts"

/** What the caller must be able to read before the call is forwarded. */
interface RequiredRead {
  readonly path: ReadonlyArray<string>
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Another tenant's resource is a 404, never a 403 (contract, Errors). Most services already answer so, but some stock
 * policies do not. Octavia and Barbican answer 403 for another project's resource and 404 for an unknown one, as do
 * Nova for the tags of a server and Designate for the transfer request of a zone. Cinder shows any attachment to a
 * caller who knows its id, including the data needed to connect to the volume. In these cases the rule first reads
 * the resource with the caller's own session, and answers 404 alike for everything that the caller cannot read.
 *
 * Neutron checks for a port conflict before it checks the owner of a floating IP, and names the type of another
 * project's sharing policy that it finds.
 *
 * The quota of another project stays a 403, which is the same for unknown projects.
 */
export const foreignResources = ruleAt<RequiredRead>({
  at: (call) => requiredReadOf(call),
  reads: () => "head",
  check: Effect.fnUntraced(function* (required, call) {
    const found = yield* call.read(required.path, required.headers)
    if (found === undefined) return yield* NotFound.route()
    if (call.service === "volume") yield* checkAttachment(call, found)
  })
})

/** An attachment belongs to its volume, and Cinder shows a volume to its own project only. */
const checkAttachment = Effect.fnUntraced(function* (call: PlatformCall, found: unknown) {
  const volume = memberOf(found, "attachment", "volume_id")
  if (typeof volume !== "string" || (yield* call.read(["volumes", volume])) === undefined) {
    return yield* NotFound.route()
  }
})

/** The first microversion with attachments. */
const attachments = { "openstack-api-version": "volume 3.27" }

const requiredReadOf = ({ caller, method, segments, service }: ConcernedCall): RequiredRead | undefined => {
  if (caller.admin) return undefined
  const [first, second, third, fourth] = segments
  switch (service) {
    case "load-balancer":
      return balancingCollections.has(word(second)) && third !== undefined
        ? { path: ["lbaas", word(second), third] }
        : undefined
    case "key-manager":
      return keyManagerCollections.has(word(second)) && third !== undefined
        ? { path: ["v1", word(second), third] }
        : undefined
    case "volume":
      return word(first) === "attachments" && second !== undefined && !lists.has(second)
        ? { path: ["attachments", second], headers: attachments }
        : undefined
    case "dns":
      return word(second) === "tasks" && word(third) === "transfer-requests" && mayBeUuid(fourth)
        ? { path: ["zones", "tasks", "transfer_requests", fourth] }
        : undefined
    case "network":
      // Neutron also serves a collection behind the path prefix of any extension.
      return requiredNetworkRead(method, segments) ?? requiredNetworkRead(method, segments.slice(1))
    case "compute":
      return word(first) === "servers" && second !== undefined && word(third) === "tags"
        ? { path: ["servers", second] }
        : undefined
  }
}

const requiredNetworkRead = (
  method: string,
  [collection, id, below]: ReadonlyArray<string>
): RequiredRead | undefined => {
  if (id === undefined) return undefined
  switch (word(collection)) {
    case "floatingips":
      return method === "POST" && word(below) === "port-forwardings" ? { path: ["floatingips", id] } : undefined
    case "rbac-policies":
      return isWrite(method) ? undefined : { path: ["rbac-policies", id] }
  }
}

/** Designate takes a UUID in any spelling, also without hyphens or in braces. Of anything else it says itself that it is none. */
const mayBeUuid = (id: string | undefined): id is string =>
  id !== undefined && id.replaceAll(/[^\da-f]/gi, "").length >= 32

const balancingCollections: ReadonlySet<string> = new Set([
  "loadbalancers",
  "listeners",
  "pools",
  "healthmonitors",
  "l7policies"
])
const keyManagerCollections: ReadonlySet<string> = new Set(["secrets", "containers"])
/** Segments in the place of an id that name a list. */
const lists: ReadonlySet<string> = new Set(["detail", "summary"])
