import { Context, Effect, Layer, Schema } from "effect"
import { controlled } from "../openstack/openstack.ts"
import { allByMarker } from "../paging.ts"
import { putJson } from "../requests.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/** A router's gateway to the external network. */
export interface Uplink {
  readonly networkId: string
  readonly snat: boolean
  /** The router's own addresses on the external network. */
  readonly addresses: ReadonlyArray<string>
}

export interface Router {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Grows with every change by any client. */
  readonly revision: number
  readonly createdAt: string
  /** Null without a gateway to an external network. */
  readonly uplink: Uplink | null
}

/** A router's interface in one of the tenant's networks. */
export interface Interface {
  readonly routerId: string
  readonly networkId: string
  readonly subnetIds: ReadonlyArray<string>
}

const Addresses = Schema.Array(Schema.Struct({ ip_address: Schema.String }))

const Listed = Schema.Struct({
  id: Schema.String,
  project_id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  revision_number: Schema.Int,
  created_at: Schema.String,
  external_gateway_info: Schema.NullOr(
    Schema.Struct({
      network_id: Schema.String,
      enable_snat: Schema.Boolean,
      external_fixed_ips: Schema.optionalKey(Addresses)
    })
  )
})

const Port = Schema.Struct({
  id: Schema.String,
  project_id: Schema.String,
  device_id: Schema.String,
  network_id: Schema.String,
  created_at: Schema.String,
  fixed_ips: Schema.Array(Schema.Struct({ subnet_id: Schema.String }))
})

/** The device owners of router interfaces, by the kind of the router. */
const owners = [
  "network:router_interface",
  "network:router_interface_distributed",
  "network:ha_router_replicated_interface"
]

/**
 * Source NAT of a tenant's routers, under the control identity, because only an
 * administrator may write `enable_snat`. The lists contain only the project's
 * own resources, regardless of how Neutron applies a filter.
 */
export class Nat extends Context.Service<
  Nat,
  {
    /** Oldest first. */
    routers(projectId: string): Effect.Effect<ReadonlyArray<Router>, UpstreamError>
    /** In the order of their creation. */
    interfaces(projectId: string): Effect.Effect<ReadonlyArray<Interface>, UpstreamError>
    /**
     * Turns SNAT on or off on a router as it was read; 412 when it has changed
     * since. Both parts are always sent. Neutron sets an absent `enable_snat`
     * to true, and treats another network as another gateway with another
     * address. With the current network the router keeps its address.
     *
     * @param router as {@link routers} returned it; the caller has checked that
     * it is the tenant's
     */
    setSnat(options: {
      readonly router: Pick<Router, "id" | "revision">
      readonly networkId: string
      readonly snat: boolean
    }): Effect.Effect<Router, UpstreamError>
  }
>()("portico/upstream/neutron/Nat") {
  static readonly layer = Layer.effect(
    Nat,
    Effect.gen(function* () {
      const system = yield* controlled("neutron", "network")

      return Nat.of({
        routers: Effect.fn("Nat.routers")(function* (projectId) {
          const routers = yield* allByMarker(system, {
            path: "/routers",
            collection: "routers",
            item: Listed,
            query: { project_id: projectId, fields: Object.keys(Listed.fields) }
          })
          return routers
            .filter((_) => _.project_id === projectId)
            .toSorted(byAge)
            .map(routerOf)
        }),
        interfaces: Effect.fn("Nat.interfaces")(function* (projectId) {
          const ports = yield* allByMarker(system, {
            path: "/ports",
            collection: "ports",
            item: Port,
            query: { project_id: projectId, device_owner: owners, fields: Object.keys(Port.fields) }
          })
          return ports
            .filter((_) => _.project_id === projectId)
            .toSorted(byAge)
            .map(({ device_id, fixed_ips, network_id }) => ({
              routerId: device_id,
              networkId: network_id,
              subnetIds: fixed_ips.map((_) => _.subnet_id)
            }))
        }),
        setSnat: Effect.fn("Nat.setSnat")(function* ({ networkId, router, snat }) {
          const external_gateway_info = { network_id: networkId, enable_snat: snat }
          const answer = yield* system.write(
            snat ? "enable SNAT" : "disable SNAT",
            putJson(
              `/routers/${encodeURIComponent(router.id)}`,
              { router: { external_gateway_info } },
              { headers: { "if-match": `revision_number=${router.revision}` } }
            ),
            Schema.Struct({ router: Listed })
          )
          return routerOf(answer.router)
        })
      })
    })
  )
}

interface Aged {
  readonly id: string
  readonly created_at: string
}

const byAge = (a: Aged, b: Aged): number =>
  a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1

const routerOf = (listed: typeof Listed.Type): Router => {
  const { created_at, description, external_gateway_info: info, id, name, revision_number } = listed
  return {
    id,
    name,
    description: description ?? "",
    revision: revision_number,
    createdAt: created_at,
    uplink: info && {
      networkId: info.network_id,
      snat: info.enable_snat,
      addresses: (info.external_fixed_ips ?? []).map((_) => _.ip_address)
    }
  }
}
