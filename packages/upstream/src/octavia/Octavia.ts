import type { ServiceQuotas } from "@portico/contract/Tiers"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled } from "../openstack/openstack.ts"
import { putJson } from "../requests.ts"
import type { UpstreamError } from "../UpstreamError.ts"

const Limit = Schema.Struct({ loadbalancer: Schema.Int })
/** Octavia 11 returns only this spelling, though it accepts both. */
const OldLimit = Schema.Struct({ load_balancer: Schema.Int })

/** The resource of the tiers, in both spellings. */
const balancers: ReadonlySet<string> = new Set(["loadbalancer", "load_balancer"])
/** Octavia returns the deprecated spelling and accepts the other. */
const writtenAs: Readonly<Record<string, string>> = { health_monitor: "healthmonitor" }

/** Load balancer quotas, under the control identity. Octavia enforces them and returns no usage. */
export class Octavia extends Context.Service<
  Octavia,
  {
    writeQuotas(projectId: string, quotas: ServiceQuotas["octavia"]): Effect.Effect<void, UpstreamError>
    /** The limit and the number of load balancers. */
    readQuotas(projectId: string): Effect.Effect<{ readonly limit: number; readonly in_use: number }, UpstreamError>
    /** Only the limit; -1 is unlimited. */
    readLimit(projectId: string): Effect.Effect<number, UpstreamError>
    /** Sets the limits outside the tiers, such as listeners and pools, to 0, regardless of the usage. */
    closeOthers(projectId: string): Effect.Effect<void, UpstreamError>
    /** Restores the defaults of the quotas that {@link closeOthers} writes. */
    resetOthers(projectId: string): Effect.Effect<void, UpstreamError>
    removeQuotas(projectId: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/octavia/Octavia") {
  static readonly layer = Layer.effect(
    Octavia,
    Effect.gen(function* () {
      const system = yield* controlled("octavia", "load-balancer")
      const url = (projectId: string) => `/lbaas/quotas/${encodeURIComponent(projectId)}`

      const limit = (projectId: string) =>
        Effect.map(
          system.read(
            "read quotas",
            HttpClientRequest.get(url(projectId)),
            Schema.Struct({ quota: Schema.Union([Limit, OldLimit]) })
          ),
          ({ quota }) => ("loadbalancer" in quota ? quota.loadbalancer : quota.load_balancer)
        )

      const used = (projectId: string) =>
        Effect.map(
          system.read(
            "count load balancers",
            HttpClientRequest.get("/lbaas/loadbalancers", {
              urlParams: { project_id: projectId, fields: "provisioning_status" }
            }),
            Schema.Struct({ loadbalancers: Schema.Array(Schema.Struct({ provisioning_status: Schema.String })) })
          ),
          (_) => _.loadbalancers.filter((balancer) => balancer.provisioning_status !== "DELETED").length
        )

      /** Only resources that the service itself returns, because releases differ. */
      const changeOthers = Effect.fnUntraced(function* (projectId: string, to: (limit: number) => number) {
        const { quota } = yield* system.read(
          "read default quotas",
          HttpClientRequest.get(`${url(projectId)}/default`),
          Schema.Struct({ quota: Schema.Record(Schema.String, Schema.Unknown) })
        )
        const limits = Object.entries(quota).flatMap(([name, limit]) =>
          typeof limit === "number" && !balancers.has(name) ? [[writtenAs[name] ?? name, to(limit)] as const] : []
        )
        yield* system.send("write other quotas", putJson(url(projectId), { quota: Object.fromEntries(limits) }))
      })

      return Octavia.of({
        closeOthers: (projectId) => changeOthers(projectId, () => 0),
        resetOthers: (projectId) => changeOthers(projectId, (limit) => limit),
        writeQuotas: (projectId, quotas) => system.send("write quotas", putJson(url(projectId), { quota: quotas })),
        readLimit: limit,
        readQuotas: (projectId) =>
          Effect.all({ limit: limit(projectId), in_use: used(projectId) }, { concurrency: "unbounded" }),
        removeQuotas: (projectId) => system.remove("remove quotas", HttpClientRequest.delete(url(projectId)))
      })
    })
  )
}
