import { Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled } from "../openstack/openstack.ts"
import type { UpstreamError } from "../UpstreamError.ts"

const List = Schema.Struct({
  floatingips: Schema.Array(Schema.Struct({ floating_ip_address: Schema.String, project_id: Schema.String }))
})

/** So many stand in one query; a request line has its limits. */
const most = 50

/** Whose floating IPs are, under the control identity, which sees those of every project. */
export class FloatingIps extends Context.Service<
  FloatingIps,
  {
    /**
     * The project that each address belongs to, as Neutron spells both;
     * without those that are nobody's. One call for up to 50 addresses.
     */
    ownersOf(addresses: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, string>, UpstreamError>
  }
>()("portico/upstream/neutron/FloatingIps") {
  static readonly layer = Layer.effect(
    FloatingIps,
    Effect.gen(function* () {
      const system = yield* controlled("neutron", "network")

      const some = (addresses: ReadonlyArray<string>) =>
        Effect.map(
          system.read(
            "list floating IPs",
            HttpClientRequest.get("/floatingips", {
              urlParams: { floating_ip_address: addresses, fields: ["floating_ip_address", "project_id"] }
            }),
            List
          ),
          // Whatever Neutron makes of the filter.
          ({ floatingips }) => floatingips.filter((_) => addresses.includes(_.floating_ip_address))
        )

      return FloatingIps.of({
        ownersOf: Effect.fn("FloatingIps.ownersOf")(function* (addresses) {
          const found = yield* Effect.forEach(chunksOf([...new Set(addresses)]), some)
          return new Map(found.flat().map((_) => [_.floating_ip_address, _.project_id]))
        })
      })
    })
  )
}

const chunksOf = (all: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, index) => all.slice(index * most, (index + 1) * most))
