import { Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import type { System } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"

/** The billed types, by the ledger's names. */
export const inventoryTypes = ["server", "volume", "floating_ip", "load_balancer"] as const
export type InventoryType = (typeof inventoryTypes)[number]

/** One existing resource with its priced properties. */
export interface Present {
  readonly resource_id: string
  readonly project_id: string
  /** ISO 8601 in UTC. */
  readonly created_at: string
  /** An operation is under way, after which the resource may have changed or be gone. */
  readonly busy: boolean
  readonly shelved: boolean
  readonly flavor: string | null
  readonly size_gb: number | null
  readonly volume_type: string | null
}

/**
 * All billed resources in the cloud, of all projects, under the control
 * identity. A list is complete or fails, because the caller takes a missing
 * resource for gone.
 */
export class Inventory extends Context.Service<
  Inventory,
  { list(type: InventoryType): Effect.Effect<ReadonlyArray<Present>, UpstreamError> }
>()("portico/upstream/billing/Inventory") {
  static readonly layer = Layer.effect(
    Inventory,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const [nova, cinder, neutron, octavia] = [
        yield* controlled("nova", "compute"),
        yield* controlled("cinder", "volume"),
        yield* controlled("neutron", "network"),
        yield* controlled("octavia", "load-balancer")
      ]
      const allTenants = { all_tenants: "1" }
      const lists: Readonly<Record<InventoryType, Effect.Effect<ReadonlyArray<Present>, UpstreamError>>> = {
        server: pagesOf(nova, { path: "/servers/detail", query: allTenants, collection: "servers" }, Server),
        // The path starts with the caller's own project.
        volume: Effect.flatMap(sessions.controlProjectId, (own) =>
          pagesOf(cinder, { path: `/${own}/volumes/detail`, query: allTenants, collection: "volumes" }, Volume)
        ),
        floating_ip: pagesOf(neutron, { path: "/floatingips", query: {}, collection: "floatingips" }, FloatingIp),
        load_balancer: pagesOf(
          octavia,
          { path: "/lbaas/loadbalancers", query: {}, collection: "loadbalancers" },
          LoadBalancer
        )
      }
      return Inventory.of({ list: (type) => lists[type] })
    })
  )
}

interface List {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** The key of the list in the response. */
  readonly collection: string
}

/** One item of a service's list; `toPresent` returns null for a listed resource that is gone. */
interface Item<A extends { readonly id: string }> {
  readonly schema: Schema.Codec<A, unknown>
  toPresent(item: A): Present | null
}

const limit = 500
/** A list beyond it counts as endless and fails. */
const maxPages = 2000

const Link = Schema.Struct({ rel: Schema.String })

const pagesOf = Effect.fnUntraced(function* <A extends { readonly id: string }>(
  system: System,
  { collection, path, query }: List,
  { schema, toPresent }: Item<A>
) {
  const call = `list ${collection}`
  const Page = Schema.Struct({
    items: Schema.Array(schema),
    links: Schema.optionalKey(Schema.Array(Link))
  }).pipe(Schema.encodeKeys({ items: collection, links: `${collection}_links` }))
  const found: Array<Present> = []
  let marker: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const behind: Readonly<Record<string, string>> = marker === undefined ? {} : { marker }
    const urlParams = { ...query, limit: String(limit), ...behind }
    const { items, links = [] } = yield* system.read(call, HttpClientRequest.get(path, { urlParams }), Page)
    found.push(...items.flatMap((_) => toPresent(_) ?? []))
    marker = items.at(-1)?.id
    // The next page is requested by the last id, never by the link, which names an internal host.
    if (marker === undefined || !links.some((_) => _.rel === "next")) return found
  }
  return yield* new UpstreamError({
    upstream: system.upstream,
    call,
    status: 200,
    words: `its list does not end after ${maxPages} pages`
  })
})

const plain = { busy: false, shelved: false, flavor: null, size_gb: null, volume_type: null }

/** Some services omit the time zone; all of them mean UTC. */
const utc = (time: string): string => (/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`)

const ServerRow = Schema.Struct({
  id: Schema.String,
  tenant_id: Schema.String,
  status: Schema.String,
  created: Schema.String,
  flavor: Schema.Struct({ id: Schema.String }),
  "OS-EXT-STS:task_state": Schema.optionalKey(Schema.NullOr(Schema.String))
})

const Server: Item<typeof ServerRow.Type> = {
  schema: ServerRow,
  toPresent: ({ created, flavor, id, status, tenant_id, ...server }) =>
    status === "DELETED" || status === "SOFT_DELETED"
      ? null
      : {
          ...plain,
          resource_id: id,
          project_id: tenant_id,
          created_at: utc(created),
          // Until a resize is confirmed or reverted, both flavors count.
          busy: (server["OS-EXT-STS:task_state"] ?? null) !== null || status === "VERIFY_RESIZE",
          shelved: status === "SHELVED" || status === "SHELVED_OFFLOADED",
          flavor: flavor.id
        }
}

const volumeProject = "os-vol-tenant-attr:tenant_id"
const VolumeRow = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  created_at: Schema.String,
  size: Schema.Int,
  volume_type: Schema.NullOr(Schema.String),
  [volumeProject]: Schema.String
})

const Volume: Item<typeof VolumeRow.Type> = {
  schema: VolumeRow,
  toPresent: ({ created_at, id, size, status, volume_type, ...volume }) => ({
    ...plain,
    resource_id: id,
    project_id: volume[volumeProject],
    created_at: utc(created_at),
    // `creating`, `extending`, `deleting`, `awaiting-transfer`
    busy: /ing\b/.test(status),
    size_gb: size,
    volume_type
  })
}

const FloatingIpRow = Schema.Struct({ id: Schema.String, project_id: Schema.String, created_at: Schema.String })

const FloatingIp: Item<typeof FloatingIpRow.Type> = {
  schema: FloatingIpRow,
  toPresent: ({ created_at, id, project_id }) => ({
    ...plain,
    resource_id: id,
    project_id,
    created_at: utc(created_at)
  })
}

const LoadBalancerRow = Schema.Struct({
  id: Schema.String,
  project_id: Schema.String,
  created_at: Schema.String,
  provisioning_status: Schema.String
})

const LoadBalancer: Item<typeof LoadBalancerRow.Type> = {
  schema: LoadBalancerRow,
  toPresent: ({ created_at, id, project_id, provisioning_status: status }) =>
    status === "DELETED"
      ? null
      : { ...plain, resource_id: id, project_id, created_at: utc(created_at), busy: status.startsWith("PENDING_") }
}
