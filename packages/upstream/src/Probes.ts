import { Config, Context, Duration, Effect, Layer, Option } from "effect"
import { HttpClient } from "effect/http"
import { Catalog } from "./openstack/Catalog.ts"

/** A probe is a question that any answer answers. */
const patience = Duration.seconds(2)
/** Health checks come often and from several sides; the systems behind are asked once in this time. */
const believed = Duration.seconds(5)

export type Probed = Readonly<Record<string, "ok" | "unreachable">>

/** `failing`: it answers that it is broken (5xx). */
export type Seen = "ok" | "failing" | "unreachable"

/** Whether the systems behind the gateway answer at all. */
export class Probes extends Context.Service<
  Probes,
  {
    /** Those without which the gateway is of little use. */
    readonly all: Effect.Effect<Probed>
    /** Those, and what else a cloud may have beside them, as they were seen. */
    readonly states: Effect.Effect<Readonly<Record<string, Seen>>>
  }
>()("portico/upstream/Probes") {
  static readonly layer = Layer.effect(
    Probes,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const { required } = yield* Catalog
      const auth = (yield* Config.URL("AUTH_URL")).href.replace(/\/+$/, "")
      const rgw = (yield* Config.URL("RGW_URL")).href
      const billing = yield* Config.option(Config.URL("BILLING_URL"))
      const needed: Readonly<Record<string, string>> = {
        ...required,
        "object-storage": rgw,
        "identity-provider": `${auth}/.well-known/openid-configuration`
      }
      const beside: Readonly<Record<string, string>> = Option.isSome(billing) ? { billing: billing.value.href } : {}

      const probe = (url: string) =>
        Effect.match(Effect.timeout(Effect.scoped(client.get(url)), patience), {
          onSuccess: ({ status }): Seen => (status < 500 ? "ok" : "failing"),
          onFailure: (): Seen => "unreachable"
        })

      const states = yield* Effect.cachedWithTTL(
        Effect.map(
          Effect.forEach(
            Object.entries({ ...needed, ...beside }),
            ([name, url]) => Effect.map(probe(url), (state) => [name, state] as const),
            {
              concurrency: "unbounded"
            }
          ),
          (states): Readonly<Record<string, Seen>> => Object.fromEntries(states)
        ),
        believed
      )
      return Probes.of({
        states,
        all: Effect.map(states, (seen) =>
          Object.fromEntries(Object.keys(needed).map((_) => [_, seen[_] === "unreachable" ? "unreachable" : "ok"]))
        )
      })
    })
  )
}
