import { Array as Arr, Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled } from "../openstack/openstack.ts"
import type { UpstreamError } from "../UpstreamError.ts"

const List = Schema.Struct({
  floatingips: Schema.Array(Schema.Struct({ floating_ip_address: Schema.String, project_id: Schema.String }))
})

/** The most addresses in one query, because request lines have a size limit. */
const chunkSize = 50

/** The owners of floating IPs, under the control identity, which sees those of all projects. */
export class FloatingIps extends Context.Service<
  FloatingIps,
  {
    /**
     * The project of each address, as Neutron spells both. Addresses without an
     * owner are absent. One call per 50 addresses.
     */
    ownersOf(addresses: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, string>, UpstreamError>
  }
>()("portico/upstream/neutron/FloatingIps") {
  static readonly layer = Layer.effect(
    FloatingIps,
    Effect.gen(function* () {
      const system = yield* controlled("neutron", "network")

      const ownersOfChunk = (addresses: ReadonlyArray<string>) =>
        Effect.map(
          system.read(
            "list floating IPs",
            HttpClientRequest.get("/floatingips", {
              urlParams: { floating_ip_address: addresses, fields: ["floating_ip_address", "project_id"] }
            }),
            List
          ),
          // Checked again, regardless of how Neutron applies the filter.
          ({ floatingips }) => floatingips.filter((_) => addresses.includes(_.floating_ip_address))
        )

      return FloatingIps.of({
        ownersOf: Effect.fn("FloatingIps.ownersOf")(function* (addresses) {
          const found = yield* Effect.forEach(Arr.chunksOf(new Set(addresses), chunkSize), ownersOfChunk)
          return new Map(found.flat().map((_) => [_.floating_ip_address, _.project_id]))
        })
      })
    })
  )
}
