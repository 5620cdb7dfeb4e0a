import { NotFound } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { isWrite, word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/** What has to be there for the caller before the call may go on. */
interface Wanted {
  readonly path: ReadonlyArray<string>
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Another tenant's thing is not there (contract, Errors: 404, never 403). Most
 * services see to that themselves. Some stock policies do not: Octavia and
 * Barbican answer 403 to what is another's and 404 to what never was, as do
 * Nova for the tags of a server and Designate for the offer of a zone; and
 * Cinder shows any attachment to whoever knows its id, with what it takes to
 * connect to the volume. There the thing is looked up first, with the caller's
 * own session, and what the caller cannot read is answered alike, whether or
 * not it exists.
 *
 * Neutron looks for a clash of ports before it asks whose a floating IP is, and
 * names the type of another's sharing policy once it has met it.
 *
 * A quota of another project stays a 403: it is the same for projects that are not.
 */
export const othersThings: Rule = {
  concerns: (call) => (wantedOf(call) === undefined ? "nothing" : "head"),
  check: Effect.fnUntraced(function* (call) {
    const wanted = wantedOf(call)
    if (wanted === undefined) return
    const found = yield* call.read(wanted.path, wanted.headers)
    if (found === undefined) return yield* NotFound.route()
    if (call.service === "volume") yield* checkAttachment(call, found)
  })
}

/** An attachment is its volume's, which Cinder does keep to its project. */
const checkAttachment = Effect.fnUntraced(function* (call: PlatformCall, found: unknown) {
  const attachment = Predicate.isReadonlyObject(found) ? found["attachment"] : undefined
  const volume = Predicate.isReadonlyObject(attachment) ? attachment["volume_id"] : undefined
  if (typeof volume !== "string" || (yield* call.read(["volumes", volume])) === undefined) {
    return yield* NotFound.route()
  }
})

/** Attachments are known from here on. */
const attachments = { "openstack-api-version": "volume 3.27" }

const wantedOf = ({ caller, method, segments, service }: PlatformCall): Wanted | undefined => {
  if (caller.admin) return undefined
  const [first, second, third, fourth] = segments
  switch (service) {
    case "load-balancer":
      return balancing.has(word(second)) && third !== undefined ? { path: ["lbaas", word(second), third] } : undefined
    case "key-manager":
      return keeping.has(word(second)) && third !== undefined ? { path: ["v1", word(second), third] } : undefined
    case "volume":
      return word(first) === "attachments" && second !== undefined && !lists.has(second)
        ? { path: ["attachments", second], headers: attachments }
        : undefined
    case "dns":
      return word(second) === "tasks" && word(third) === "transfer-requests" && fourth !== undefined
        ? { path: ["zones", "tasks", "transfer_requests", fourth] }
        : undefined
    case "network":
      // A collection of Neutron also answers behind the path prefix of any extension.
      return wantedOfNetwork(method, segments) ?? wantedOfNetwork(method, segments.slice(1))
    case "compute":
      return word(first) === "servers" && second !== undefined && word(third) === "tags"
        ? { path: ["servers", second] }
        : undefined
  }
}

const wantedOfNetwork = (method: string, [collection, id, below]: ReadonlyArray<string>): Wanted | undefined => {
  if (id === undefined) return undefined
  switch (word(collection)) {
    case "floatingips":
      return method === "POST" && word(below) === "port-forwardings" ? { path: ["floatingips", id] } : undefined
    case "rbac-policies":
      return isWrite(method) ? undefined : { path: ["rbac-policies", id] }
  }
}

const balancing: ReadonlySet<string> = new Set(["loadbalancers", "listeners", "pools", "healthmonitors", "l7policies"])
const keeping: ReadonlySet<string> = new Set(["secrets", "containers"])
/** What stands where an id would, and is a list. */
const lists: ReadonlySet<string> = new Set(["detail", "summary"])
