import { Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled } from "../openstack/openstack.ts"
import { allByMarker } from "../paging.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/** The first microversion that shows an administrator the reservation of a server. */
const version = { "openstack-api-version": "compute 2.3" }

const reservationId = "OS-EXT-SRV-ATTR:reservation_id"
const Shown = Schema.Struct({ server: Schema.Struct({ [reservationId]: Schema.String }) })
const Row = Schema.Struct({ id: Schema.String })

/** The servers that one request created, which have one reservation in common. Under the control identity. */
export class Reservations extends Context.Service<
  Reservations,
  {
    /** The ids of the servers of a reservation that still exist. */
    servers(reservationId: string): Effect.Effect<ReadonlyArray<string>, UpstreamError>
    /** The reservation of a server. */
    of(serverId: string): Effect.Effect<string, UpstreamError>
  }
>()("portico/upstream/nova/Reservations") {
  static readonly layer = Layer.effect(
    Reservations,
    Effect.map(controlled("nova", "compute"), (nova) =>
      Reservations.of({
        servers: Effect.fn("Reservations.servers")(function* (id) {
          const query = { all_tenants: "1", reservation_id: id }
          const servers = { path: "/servers", collection: "servers", item: Row, query }
          return (yield* allByMarker(nova, servers)).map((_) => _.id)
        }),
        of: Effect.fn("Reservations.of")(function* (serverId) {
          const request = HttpClientRequest.get(`/servers/${encodeURIComponent(serverId)}`, { headers: version })
          return (yield* nova.read("show server", request, Shown)).server[reservationId]
        })
      })
    )
  )
}
