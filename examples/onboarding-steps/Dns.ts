import { Catalog } from "@portico/upstream/openstack/Catalog"
import { underSession } from "@portico/upstream/openstack/openstack"
import { Sessions } from "@portico/upstream/openstack/Sessions"
import { Taken, UpstreamError } from "@portico/upstream/UpstreamError"
import { Config, Context, Effect, Layer, Schedule, Schema } from "effect"
import { HttpClientRequest } from "effect/http"

/** Names a zone. The stamp goes into its description, and is found by reading it. */
export interface Named {
  readonly name: string
  readonly stamp: string
}

const Zone = Schema.Struct({ id: Schema.String, name: Schema.String, description: Schema.NullOr(Schema.String) })
const Zones = Schema.Struct({ zones: Schema.Array(Zone) })

/** Designate says 202 to a delete and holds the name until its name servers have forgotten the zone. */
// oxlint-disable-next-line live/waits -- a part of the example, which a gateway runs
const whileHeld = { schedule: Schedule.spaced("200 millis"), times: 50 }

/**
 * DNS zones of tenants, under the control session: the zone is made in the
 * tenant's project (`X-Auth-Sudo-Project-ID`), and found across all of them.
 */
export class Dns extends Context.Service<
  Dns,
  {
    createZone(options: Named & { readonly projectId: string }): Effect.Effect<string, UpstreamError | Taken>
    removeZone(options: Named): Effect.Effect<void, UpstreamError>
  }
>()("example/Dns") {
  static readonly layer = Layer.effect(
    Dns,
    Effect.gen(function* () {
      const url = (yield* Catalog).find("dns") ?? (yield* Config.String("IAAS_DNS_URL"))
      const email = yield* Config.String("DNS_EMAIL").pipe(Config.withDefault("hostmaster@example.org"))
      const { control } = yield* Sessions
      const system = (yield* underSession)({ upstream: "designate", url, session: control })

      const everywhere = HttpClientRequest.setHeader("x-auth-all-projects", "true")

      const ownZone = Effect.fnUntraced(function* ({ name, stamp }: Named) {
        const request = HttpClientRequest.get("/zones", { urlParams: { name } })
        const { zones } = yield* system.read("find zone", everywhere(request), Zones)
        return zones.find((_) => _.description === stamp)
      })

      return Dns.of({
        createZone: Effect.fn("Dns.createZone")(function* ({ name, projectId, stamp }) {
          const request = HttpClientRequest.post("/zones").pipe(
            HttpClientRequest.setHeader("x-auth-sudo-project-id", projectId),
            HttpClientRequest.bodyJsonUnsafe({ name, email, description: stamp })
          )
          const created = yield* Effect.catchIf(
            system.write("create zone", request, Zone),
            (error) => error.status === 409,
            () => ownZone({ name, stamp })
          )
          return created?.id ?? (yield* new Taken({ upstream: "designate", what: `zone '${name}'` }))
        }),
        removeZone: Effect.fn("Dns.removeZone")(function* (options) {
          const zone = yield* ownZone(options)
          if (zone === undefined) return
          yield* system.remove("remove zone", everywhere(HttpClientRequest.delete(`/zones/${zone.id}`)))
          const left = yield* Effect.repeat(ownZone(options), { ...whileHeld, until: (_) => _ === undefined })
          if (left === undefined) return
          return yield* new UpstreamError({
            upstream: "designate",
            call: "remove zone",
            status: null,
            detail: `${zone.name} is still being removed`
          })
        })
      })
    })
  )
}
