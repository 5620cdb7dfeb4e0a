import { Config, Context, Duration, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { Catalog } from "./openstack/Catalog.ts"

/** A probe is a question that any answer answers. */
const patience = Duration.seconds(2)
/** Health checks come often and from several sides; the systems behind are asked once in this time. */
const believed = Duration.seconds(5)

export type Probed = Readonly<Record<string, "ok" | "unreachable">>

/** Whether the systems behind the gateway answer at all. */
export class Probes extends Context.Service<Probes, { readonly all: Effect.Effect<Probed> }>()(
  "portico/upstream/Probes"
) {
  static readonly layer = Layer.effect(
    Probes,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const { required } = yield* Catalog
      const auth = (yield* Config.URL("AUTH_URL")).href.replace(/\/+$/, "")
      const rgw = (yield* Config.URL("RGW_URL")).href
      const targets: Readonly<Record<string, string>> = {
        ...required,
        "object-storage": rgw,
        "identity-provider": `${auth}/.well-known/openid-configuration`
      }

      const probe = (url: string) =>
        Effect.match(Effect.timeout(Effect.scoped(client.get(url)), patience), {
          onSuccess: () => "ok" as const,
          onFailure: () => "unreachable" as const
        })

      const all = yield* Effect.cachedWithTTL(
        Effect.map(
          Effect.forEach(
            Object.entries(targets),
            ([name, url]) => Effect.map(probe(url), (state) => [name, state] as const),
            {
              concurrency: "unbounded"
            }
          ),
          (states): Probed => Object.fromEntries(states)
        ),
        believed
      )
      return Probes.of({ all })
    })
  )
}
