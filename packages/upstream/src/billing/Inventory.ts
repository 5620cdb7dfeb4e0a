import { Context, Effect, Layer, Schema } from "effect"
import { controlled } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import { allByMarker } from "../paging.ts"
import type { System } from "../System.ts"
import type { UpstreamError } from "../UpstreamError.ts"

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
        server: presentOf(nova, "/servers/detail", Server, allTenants),
        // The path starts with the caller's own project.
        volume: Effect.flatMap(sessions.controlProjectId, (own) =>
          presentOf(cinder, `/${own}/volumes/detail`, Volume, allTenants)
        ),
        floating_ip: presentOf(neutron, "/floatingips", FloatingIp),
        load_balancer: presentOf(octavia, "/lbaas/loadbalancers", LoadBalancer)
      }
      return Inventory.of({ list: (type) => lists[type] })
    })
  )
}

/** The items of a service's list; `toPresent` returns null for a listed resource that is gone. */
interface Listed<A extends { readonly id: string }> {
  /** The key of the list in the response. */
  readonly collection: string
  readonly item: Schema.Codec<A, unknown>
  toPresent(item: A): Present | null
}

const presentOf = <A extends { readonly id: string }>(
  system: System,
  path: string,
  { collection, item, toPresent }: Listed<A>,
  query: Readonly<Record<string, string>> = {}
) =>
  Effect.map(allByMarker(system, { path, collection, item, query }), (items) =>
    items.flatMap((_) => toPresent(_) ?? [])
  )

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

const Server: Listed<typeof ServerRow.Type> = {
  collection: "servers",
  item: ServerRow,
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

const Volume: Listed<typeof VolumeRow.Type> = {
  collection: "volumes",
  item: VolumeRow,
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

const FloatingIp: Listed<typeof FloatingIpRow.Type> = {
  collection: "floatingips",
  item: FloatingIpRow,
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

const LoadBalancer: Listed<typeof LoadBalancerRow.Type> = {
  collection: "loadbalancers",
  item: LoadBalancerRow,
  toPresent: ({ created_at, id, project_id, provisioning_status: status }) =>
    status === "DELETED"
      ? null
      : { ...plain, resource_id: id, project_id, created_at: utc(created_at), busy: status.startsWith("PENDING_") }
}
