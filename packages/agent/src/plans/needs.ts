import { Effect } from "effect"
import { Api, type ApiRequest } from "../Api.ts"
import type { Agent } from "../CurrentAgent.ts"
import { at, bodyOf, listAt, numberAt, parsed, textAt } from "./json.ts"
import { withoutPrefixes } from "./proxiedPath.ts"
import { pathOf, routeOf } from "./routes.ts"

/** How much of each quota a call uses, by the quota's path in the answer of `/v1/quotas`: `compute.cores`. */
export type Quotas = Readonly<Record<string, number>>

/** A resource that the platform bills by time. */
export interface Billable {
  /** The keys that its line on an invoice may have. */
  readonly lines: ReadonlyArray<string>
  /** The number of its units, such as GiB. */
  readonly quantity: number
}

/** What a call uses. A part that cannot be calculated is undefined. */
export interface Needs {
  readonly quotas: Quotas | undefined
  readonly billable: ReadonlyArray<Billable> | undefined
}

const unknown: Needs = { quotas: undefined, billable: undefined }
const nothing: Needs = { quotas: {}, billable: undefined }

/** The JSON that the API answers to a GET of the path; undefined when the agent cannot read it. */
export const readOf = (agent: Agent, path: string) =>
  Effect.gen(function* () {
    const { body, cut, status } = yield* (yield* Api).call(agent, { method: "GET", path })
    return status === 200 && !cut ? parsed(body) : undefined
  })

type NeedsOf = (agent: Agent, path: string, body: unknown) => Effect.Effect<Needs, never, Api>

const one =
  (...names: ReadonlyArray<string>): NeedsOf =>
  () =>
    Effect.succeed({ quotas: Object.fromEntries(names.map((_) => [_, 1])), billable: undefined })

// --- databases --------------------------------------------------------------------

const databaseQuotas = (gigabytes: number, claims: number): Needs => ({
  quotas: { "databases.gigabytes": gigabytes, "databases.claims": claims },
  billable: undefined
})

const newDatabase: NeedsOf = (_, __, body) => {
  const size = numberAt(body, "size_gb")
  const replicas = numberAt(body, "replicas") ?? 1
  return Effect.succeed(size === undefined ? unknown : databaseQuotas(size * replicas, replicas))
}

const database = Effect.fnUntraced(function* (agent: Agent, path: string) {
  const found = yield* readOf(agent, path)
  const [size, replicas] = [numberAt(found, "size_gb"), numberAt(found, "replicas")]
  return size === undefined || replicas === undefined ? undefined : { size, replicas }
})

const resizedDatabase: NeedsOf = Effect.fnUntraced(function* (agent, path, body) {
  const held = yield* database(agent, path)
  if (held === undefined) return unknown
  const size = numberAt(body, "size_gb") ?? held.size
  const replicas = numberAt(body, "replicas") ?? held.replicas
  return databaseQuotas(size * replicas - held.size * held.replicas, replicas - held.replicas)
})

const restoredDatabase: NeedsOf = Effect.fnUntraced(function* (agent, path, body) {
  const source = yield* database(agent, path.replace(/\/restore$/, ""))
  if (source === undefined) return unknown
  const size = numberAt(body, "size_gb") ?? source.size
  const replicas = numberAt(body, "replicas") ?? source.replicas
  return databaseQuotas(size * replicas, replicas)
})

// --- servers ----------------------------------------------------------------------

const flavorAt = Effect.fnUntraced(function* (agent: Agent, id: string | undefined) {
  if (id === undefined) return undefined
  const found = at(yield* readOf(agent, `/v1/iaas/compute/flavors/${encodeURIComponent(id)}`), "flavor")
  const [cores, ram, name] = [numberAt(found, "vcpus"), numberAt(found, "ram"), textAt(found, "name")]
  return cores === undefined || ram === undefined || name === undefined ? undefined : { cores, ram, name }
})

const servers = Effect.fnUntraced(function* (agent: Agent, flavorId: string | undefined, count: number) {
  const flavor = yield* flavorAt(agent, flavorId)
  if (flavor === undefined) return unknown
  const { cores, name, ram } = flavor
  return {
    quotas: { "compute.instances": count, "compute.cores": count * cores, "compute.ram": count * ram },
    billable: count > 0 ? [{ lines: [`compute.${name}`], quantity: count }] : []
  } satisfies Needs
})

/** The sizes of the volumes that the call creates for each server, in GiB. Undefined when one has no size. */
const newVolumes = (server: unknown): ReadonlyArray<number> | undefined => {
  const made = listAt(server, "block_device_mapping_v2").filter(
    (_) => at(_, "destination_type") === "volume" && at(_, "source_type") !== "volume"
  )
  const sizes = made.map((_) => numberAt(_, "volume_size"))
  return sizes.every((_) => _ !== undefined) ? sizes : undefined
}

const newServers: NeedsOf = Effect.fnUntraced(function* (agent, _, body) {
  const server = at(body, "server")
  const count = numberAt(server, "max_count") ?? numberAt(server, "min_count") ?? 1
  const needed = yield* servers(agent, textAt(server, "flavorRef"), count)
  const volumes = newVolumes(server)
  if (needed.quotas === undefined || volumes === undefined) return unknown
  if (volumes.length === 0) return needed
  const gigabytes = volumes.reduce((sum, _) => sum + _, 0)
  return {
    quotas: {
      ...needed.quotas,
      "block_storage.volumes": count * volumes.length,
      "block_storage.gigabytes": count * gigabytes
    },
    // These volumes have the platform's default type, whose name and price the request does not tell.
    billable: undefined
  }
})

const actedServer: NeedsOf = Effect.fnUntraced(function* (agent, path, body) {
  const resized = at(body, "resize")
  if (resized === undefined) return at(body, "unshelve") === undefined ? nothing : unknown
  const target = yield* flavorAt(agent, textAt(resized, "flavorRef"))
  const server = at(yield* readOf(agent, path.replace(/\/action$/, "")), "server")
  const held = yield* flavorAt(agent, textAt(server, "flavor", "id"))
  if (target === undefined) return unknown
  return {
    quotas: held && { "compute.cores": target.cores - held.cores, "compute.ram": target.ram - held.ram },
    billable: [{ lines: [`compute.${target.name}`], quantity: 1 }]
  }
})

const autoscaled: NeedsOf = (agent, _, body) =>
  servers(agent, textAt(body, "template", "flavor_id"), numberAt(body, "desired") ?? numberAt(body, "min") ?? 0)

const changedGroup: NeedsOf = Effect.fnUntraced(function* (agent, path, body) {
  const group = yield* readOf(agent, path)
  const [held, desired] = [numberAt(group, "desired"), numberAt(body, "desired")]
  // The effect of new bounds, another template or new policies depends on more than the request.
  if (held === undefined || desired === undefined || at(body, "template") !== undefined) return unknown
  return yield* servers(agent, textAt(group, "template", "flavor_id"), desired - held)
})

// --- volumes and networks ---------------------------------------------------------

const volumeLines = (type: string | undefined): ReadonlyArray<string> =>
  type === undefined ? [] : ["block-storage", "storage", "volume"].map((_) => `${_}.${type}`)

const newVolume: NeedsOf = (_, __, body) => {
  const size = numberAt(body, "volume", "size")
  const lines = volumeLines(textAt(body, "volume", "volume_type"))
  return Effect.succeed({
    quotas: size === undefined ? undefined : { "block_storage.volumes": 1, "block_storage.gigabytes": size },
    billable: size === undefined ? undefined : [{ lines, quantity: size }]
  })
}

const actedVolume: NeedsOf = Effect.fnUntraced(function* (agent, path, body) {
  const size = numberAt(body, "os-extend", "new_size")
  if (size === undefined) return at(body, "os-retype") === undefined ? nothing : unknown
  const volume = at(yield* readOf(agent, path.replace(/\/action$/, "")), "volume")
  const held = numberAt(volume, "size")
  return {
    quotas: held === undefined ? undefined : { "block_storage.gigabytes": size - held },
    billable: [{ lines: volumeLines(textAt(volume, "volume_type")), quantity: size }]
  }
})

const newAddress: NeedsOf = () =>
  Effect.succeed({
    quotas: { "network.floating_ips": 1 },
    billable: [{ lines: ["network.floating-ip"], quantity: 1 }]
  })

const newBalancer: NeedsOf = () =>
  Effect.succeed({ quotas: { load_balancers: 1 }, billable: [{ lines: ["load-balancer.load-balancer"], quantity: 1 }] })

/** What calls use, by route; calls of the proxies by their path without ids, see {@link proxiedName}. */
const table: Readonly<Record<string, NeedsOf>> = {
  "POST /v1/databases": newDatabase,
  "PATCH /v1/databases/:engine/:name": resizedDatabase,
  "POST /v1/databases/:engine/:name/restore": restoredDatabase,
  "POST /v1/autoscaling/groups": autoscaled,
  "PATCH /v1/autoscaling/groups/:group_id": changedGroup,
  "POST /v1/autoscaling/groups/:group_id/policies/:policy/trigger": () => Effect.succeed(unknown),
  "POST /v1/object-storage/buckets": one("object_storage.buckets"),
  "POST /v1/nat-gateways": one("nat_gateways"),
  "POST /v1/dns/zones": one("dns_zones"),
  "POST /v1/edge/exposures": one("edge_exposures"),
  "POST /v1/credentials": one("credentials"),
  "POST compute/servers": newServers,
  "POST compute/servers/*/action": actedServer,
  "POST volume/volumes": newVolume,
  "POST volume/volumes/*/action": actedVolume,
  "POST network/floatingips": newAddress,
  "POST network/networks": one("network.networks"),
  "POST network/routers": one("network.routers"),
  "POST load-balancer/lbaas/loadbalancers": newBalancer
}

/** `POST compute/servers/*\/action` */
const proxiedName = (method: string, path: string): string | undefined => {
  const [service, ...segments] = path.split("/").slice(3)
  if (service === undefined || !path.startsWith("/v1/iaas/")) return undefined
  const own = withoutPrefixes(
    service,
    segments.filter((_) => _ !== "")
  )
  const words = own.map((_, index) => (index === 1 && service !== "load-balancer" ? "*" : _))
  return `${method} ${[service, ...words].join("/")}`
}

/** What a call uses of the tenant's quotas, and what of it is billed. */
export const needsOf = Effect.fnUntraced(function* (agent: Agent, request: ApiRequest, isBilled: boolean) {
  const path = pathOf(request)
  const names = [proxiedName(request.method, path), routeOf(request)?.name]
  const found = names.flatMap((_) => (_ === undefined ? [] : (table[_] ?? [])))[0]
  if (found !== undefined) return yield* found(agent, path, bodyOf(request))
  // Calls that are not in the table use quotas only when they are billed, or create something behind a proxy.
  return isBilled || path.startsWith("/v1/iaas/") || path.startsWith("/v1/kubernetes/") ? unknown : nothing
})
