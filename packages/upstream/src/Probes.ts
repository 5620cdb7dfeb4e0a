import { Config, Context, Duration, Effect, Layer, Option } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { kinds } from "./kubernetes/kinds.ts"
import { Kubernetes } from "./kubernetes/Kubernetes.ts"
import { observed, traced } from "./observed.ts"
import { Catalog } from "./openstack/Catalog.ts"

/** A probe is a question that any answer answers. */
const patience = Duration.seconds(2)
/** Health checks come often and from several sides; the systems behind are asked once in this time. */
const believed = Duration.seconds(5)

/** What a cloud may lack. */
const optional = ["billing", "dns", "key-manager", "kubernetes"] as const

/** By component, what is not there among them. */
export type Probed = Readonly<Record<string, "ok" | "unreachable" | "not configured">>

/** `failing`: it answers that it is broken (5xx). */
export type Seen = "ok" | "failing" | "unreachable"

/** Whether the systems behind the gateway answer at all. */
export class Probes extends Context.Service<
  Probes,
  {
    /** Every component that the gateway knows of. Whatever it answers, one that answers is reached. */
    readonly all: Effect.Effect<Probed>
    /** Those that this cloud has, as they were seen. */
    readonly states: Effect.Effect<Readonly<Record<string, Seen>>>
  }
>()("portico/upstream/Probes") {
  static readonly layer = Layer.effect(
    Probes,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const { find, required } = yield* Catalog
      const kubernetes = yield* Kubernetes
      const auth = (yield* Config.URL("AUTH_URL")).href.replace(/\/+$/, "")
      const rgw = (yield* Config.URL("RGW_URL")).href
      const billing = Option.getOrUndefined(yield* Config.option(Config.URL("BILLING_URL")))
      const addresses: Readonly<Record<string, string | undefined>> = {
        ...required,
        "object-storage": rgw,
        "identity-provider": `${auth}/.well-known/openid-configuration`,
        billing: billing?.href,
        dns: find("dns"),
        "key-manager": find("key-manager")
      }

      const probe = (system: string, url: string) => {
        const request = HttpClientRequest.get(url)
        return observed({ system, name: "probe", method: request.method }, (traceparent) =>
          client.execute(traced(request, traceparent))
        ).pipe(
          Effect.scoped,
          Effect.timeout(patience),
          Effect.match({
            onSuccess: ({ status }): Seen => (status < 500 ? "ok" : "failing"),
            onFailure: (): Seen => "unreachable"
          })
        )
      }

      const looks: ReadonlyArray<readonly [name: string, look: Effect.Effect<Seen>]> = [
        ...Object.entries(addresses).flatMap(([name, url]) =>
          url === undefined ? [] : [[name, probe(name, url)] as const]
        ),
        ...(kubernetes.present ? [["kubernetes", clusterSeen(kubernetes)] as const] : [])
      ]

      const states = yield* Effect.cachedWithTTL(
        Effect.map(
          Effect.forEach(looks, ([name, look]) => Effect.map(look, (state) => [name, state] as const), {
            concurrency: "unbounded"
          }),
          (states): Readonly<Record<string, Seen>> => Object.fromEntries(states)
        ),
        believed
      )
      return Probes.of({
        states,
        all: Effect.map(states, (seen) => ({
          ...Object.fromEntries(optional.map((_) => [_, "not configured" as const])),
          ...Object.fromEntries(
            Object.entries(seen).map(([name, state]) => [name, state === "unreachable" ? state : ("ok" as const)])
          )
        }))
      })
    })
  )
}

/** The way to it is that of the gateway's own calls, its authority included. That it refuses is an answer too. */
const clusterSeen = ({ find }: Kubernetes["Service"]): Effect.Effect<Seen> =>
  find(kinds.namespace, { name: "kube-system" }).pipe(
    Effect.timeout(patience),
    Effect.match({
      onSuccess: (): Seen => "ok",
      onFailure: (error): Seen => {
        if (error._tag === "TimeoutError" || error.status === null) return "unreachable"
        return error.status >= 500 ? "failing" : "ok"
      }
    })
  )
