import type { LifecycleDetail, LifecycleKind, LifecycleResource } from "@portico/contract/Events"
import type { Act } from "../acts/Act.ts"
import { namedActs } from "../acts/acts.ts"
import { keysOf } from "../acts/matching.ts"
import { idFromLink, memberOf, uuid } from "../acts/reading.ts"

/** A forwarded call. Its segments are below the service, without the optional project id of compute and volume. */
export interface Call {
  readonly method: string
  readonly service: string
  readonly segments: ReadonlyArray<string>
}

/** Which JSON bodies are needed to tell what a call changes, beyond method, path and status. */
export interface Reads {
  readonly request: boolean
  readonly answer: boolean
}

/** The effect of a call on one resource. */
export interface Effected {
  readonly kind: LifecycleKind
  readonly resource_type: LifecycleResource
  readonly resource_id: string
  readonly detail: LifecycleDetail
  /** The owning project, when the answer names it. */
  readonly project_id: string | null
}

interface Billable {
  readonly reads: Reads
  /** @param id the resource id in the path, if there is one */
  effects(id: string | undefined, request: unknown, answer: unknown): ReadonlyArray<Effected>
}

const nothing: Reads = { request: false, answer: false }
const theRequest: Reads = { request: true, answer: false }
const theAnswer: Reads = { request: false, answer: true }
const both: Reads = { request: true, answer: true }

const effect = (
  kind: LifecycleKind,
  resource_type: LifecycleResource,
  id: unknown,
  detail: LifecycleDetail = {},
  project: unknown = undefined
): ReadonlyArray<Effected> => {
  const resource_id = idOf(id)
  return resource_id === undefined
    ? []
    : [{ kind, resource_type, resource_id, detail, project_id: idOf(project) ?? null }]
}

const removal = (kind: LifecycleKind, type: LifecycleResource): Billable => ({
  reads: nothing,
  effects: (id) => effect(kind, type, id)
})

const serverCreate: Billable = {
  reads: both,
  effects: (_, request, answer) => {
    const serverRequest = memberOf(request, "server")
    // A create also takes a link of any length to its flavor; a resize takes the id alone.
    const detail = { ...flavorOf(idFromLink(memberOf(serverRequest, "flavorRef"))), ...countsOf(serverRequest) }
    const server = effect("server.create", "server", memberOf(answer, "server", "id"), detail)
    // With `return_reservation_id` the answer names no server.
    return server.length > 0
      ? server
      : effect("server.create", "reservation", memberOf(answer, "reservation_id"), detail)
  }
}

const flavorOf = (given: unknown): LifecycleDetail => {
  const flavor = text(given)
  return flavor === undefined ? {} : { flavor }
}

/** One call may create several servers, and its answer names the first of them. */
const countsOf = (serverRequest: unknown): LifecycleDetail => {
  const min_count = whole(memberOf(serverRequest, "min_count")) ?? 1
  const max_count = whole(memberOf(serverRequest, "max_count")) ?? min_count
  return max_count > 1 ? { min_count, max_count } : {}
}

/** Selects the event by the only key of an action's body. */
const action = (type: "server" | "volume", acts: ReadonlyMap<string, Act>): Billable => ({
  reads: theRequest,
  effects: (id, request) => {
    const [key = "", ...others] = keysOf(request)
    const kind = others.length === 0 ? acts.get(key)?.kind : undefined
    return kind === undefined ? [] : effect(kind, type, id, detailOf(key, memberOf(request, key)))
  }
})

const detailOf = (key: string, value: unknown): LifecycleDetail => {
  if (key === "resize") return flavorOf(memberOf(value, "flavorRef"))
  if (key === "os-extend") return sizeOf(memberOf(value, "new_size"))
  if (key === "os-retype") return volumeTypeOf(memberOf(value, "new_type"))
  const reboot = key === "reboot" ? text(memberOf(value, "type"))?.toUpperCase() : undefined
  return reboot === undefined ? {} : { reboot }
}

const volumeCreated = (volume: unknown): ReadonlyArray<Effected> =>
  effect(
    "volume.create",
    "volume",
    memberOf(volume, "id"),
    {
      ...sizeOf(memberOf(volume, "size")),
      ...volumeTypeOf(memberOf(volume, "volume_type") ?? memberOf(volume, "volumeType"))
    },
    memberOf(volume, "os-vol-tenant-attr:tenant_id")
  )

const volumeCreate: Billable = {
  reads: theAnswer,
  effects: (_, __, answer) => volumeCreated(memberOf(answer, "volume"))
}

const sizeOf = (given: unknown): LifecycleDetail => {
  const size_gb = whole(given)
  return size_gb === undefined ? {} : { size_gb }
}

const volumeTypeOf = (given: unknown): LifecycleDetail => {
  const volume_type = text(given)
  return volume_type === undefined ? {} : { volume_type }
}

/** A backup is restored to a volume that the request names, or else to a new one. */
const backupRestore: Billable = {
  reads: both,
  effects: (_, request, answer) =>
    text(memberOf(request, "restore", "volume_id")) === undefined
      ? effect("volume.create", "volume", memberOf(answer, "restore", "volume_id"))
      : []
}

/** The volume belonged to another project until now. */
const transferAccept: Billable = {
  reads: theAnswer,
  effects: (_, __, answer) => effect("volume.transfer", "volume", memberOf(answer, "transfer", "volume_id"))
}

const floatingIp = (created: unknown, address: string): ReadonlyArray<Effected> =>
  effect(
    "floating_ip.create",
    "floating_ip",
    memberOf(created, "id"),
    addressOf(memberOf(created, address)),
    memberOf(created, "project_id")
  )

const addressOf = (given: unknown): LifecycleDetail => {
  const address = text(given)
  return address === undefined ? {} : { address }
}

/** Neutron also accepts lists. */
const floatingIpCreate: Billable = {
  reads: theAnswer,
  effects: (_, __, answer) => {
    const many = memberOf(answer, "floatingips")
    const created: ReadonlyArray<unknown> = Array.isArray(many) ? many : [memberOf(answer, "floatingip")]
    return created.flatMap((_) => floatingIp(_, "floating_ip_address"))
  }
}

const loadBalancerCreate: Billable = {
  reads: theAnswer,
  effects: (_, __, answer) => {
    const created = memberOf(answer, "loadbalancer")
    return effect("load_balancer.create", "load_balancer", memberOf(created, "id"), {}, memberOf(created, "project_id"))
  }
}

/** Every call that changes billable resources, deprecated ones included. `*` is the resource's id. */
const billable: ReadonlyMap<string, Billable> = new Map<string, Billable>([
  ["POST compute servers", serverCreate],
  ["POST compute os-volumes_boot", serverCreate],
  ["DELETE compute servers/*", removal("server.delete", "server")],
  ["DELETE compute os-volumes_boot/*", removal("server.delete", "server")],
  ...["servers/*/action", "os-volumes_boot/*/action"].map(
    (path) => [`POST compute ${path}`, action("server", namedActs("compute", path))] as const
  ),
  ["POST compute os-volumes", volumeCreate],
  ["DELETE compute os-volumes/*", removal("volume.delete", "volume")],
  [
    "POST compute os-floating-ips",
    { reads: theAnswer, effects: (_, __, answer) => floatingIp(memberOf(answer, "floating_ip"), "ip") }
  ],
  ["DELETE compute os-floating-ips/*", removal("floating_ip.delete", "floating_ip")],
  ["POST volume volumes", volumeCreate],
  ["POST volume manageable_volumes", volumeCreate],
  ["POST volume os-volume-manage", volumeCreate],
  ["DELETE volume volumes/*", removal("volume.delete", "volume")],
  ["POST volume volumes/*/action", action("volume", namedActs("volume", "volumes/*/action"))],
  ["POST volume backups/*/restore", backupRestore],
  ["POST volume volume-transfers/*/accept", transferAccept],
  ["POST volume os-volume-transfer/*/accept", transferAccept],
  ["POST network floatingips", floatingIpCreate],
  ["DELETE network floatingips/*", removal("floating_ip.delete", "floating_ip")],
  // The network service passes it on where it still has the older API.
  ...["load-balancer", "network"].flatMap((service): ReadonlyArray<readonly [string, Billable]> => [
    [`POST ${service} lbaas/loadbalancers`, loadBalancerCreate],
    [`DELETE ${service} lbaas/loadbalancers/*`, removal("load_balancer.delete", "load_balancer")]
  ])
])

/** The billing effects of a call; undefined for a call that cannot have any. */
export const billableOf = (call: Call) => {
  if (call.method !== "POST" && call.method !== "DELETE") return undefined
  const { idIndex, segments } = located(call)
  const path = segments.map((segment, at) => (at === idIndex ? "*" : segment)).join("/")
  const found = billable.get(`${call.method} ${call.service} ${path}`)
  return (
    found && {
      reads: found.reads,
      effects: (request: unknown, answer: unknown) => found.effects(segments[idIndex], request, answer)
    }
  )
}

/** The call's segments without the parts that some services ignore, and the index of its resource's id. */
const located = ({ segments, service }: Call) => {
  const last = segments.at(-1) ?? ""
  const named = last === "" ? segments.slice(0, -1) : [...segments.slice(0, -1), last.replace(/\.json$/, "")]
  return {
    segments: service === "network" ? withoutOverlooked(named) : named,
    idIndex: segments[0] === "lbaas" ? 2 : 1
  }
}

/** Neutron also serves a collection behind the path prefix of any extension, and every path with `index` at its end. */
const withoutOverlooked = (segments: ReadonlyArray<string>): ReadonlyArray<string> =>
  segments.slice(segments[1] === "floatingips" ? 1 : 0, segments.at(-1) === "index" ? -1 : undefined)

// --- JSON of any shape: unexpected values count as absent -------------------------

/** Longer values are no valid names, and events wait in memory. */
const text = (value: unknown): string | undefined => {
  if (typeof value === "number") return String(value)
  return typeof value === "string" && value !== "" && value.length <= 255 ? value : undefined
}

/**
 * The upstream accepts numeric strings as numbers, with any number of zeros before and a line feed behind: `$` in
 * Python's patterns is before that too.
 */
const whole = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\d{1,255}\n?$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined
}

/** The platform's databases ignore the case of a UUID. The ledger must see one spelling. */
const idOf = (value: unknown): string | undefined => {
  const id = typeof value === "string" ? text(value) : undefined
  return id !== undefined && uuid.test(id) ? id.toLowerCase() : id
}
