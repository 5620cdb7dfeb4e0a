import { Context, Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Catalog } from "../openstack/Catalog.ts"
import { underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/**
 * The quotas of the key manager, under the control identity. A cloud may lack
 * the service. Releases whose policy requires the role
 * `key-manager:service-admin` answer 403 to an identity without it.
 */
export class Barbican extends Context.Service<
  Barbican,
  {
    /** Sets the limits of secrets, containers, orders and certificate authorities to 0, regardless of the usage. */
    closeQuotas(projectId: string): Effect.Effect<void, UpstreamError>
    /** Restores the defaults. Succeeds when no quota was written. */
    removeQuotas(projectId: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/barbican/Barbican") {
  static readonly layer = Layer.effect(
    Barbican,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const client = yield* HttpClient.HttpClient
      const url = (yield* Catalog).find("key-manager")
      const system = underSession({ upstream: "barbican", url: url ?? "", session: sessions.control }).pipe(
        Effect.provideService(Sessions, sessions),
        Effect.provideService(HttpClient.HttpClient, client)
      )

      return Barbican.of({
        closeQuotas: Effect.fn("Barbican.closeQuotas")(function* (projectId) {
          if (url === undefined) return
          // Consumers stay unlimited: a running load balancer registers itself anew.
          const project_quotas = { secrets: 0, containers: 0, orders: 0, cas: 0 }
          const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.put(quotasOf(projectId)), {
            project_quotas
          })
          yield* (yield* system).send("writeQuotas", request)
        }),
        removeQuotas: Effect.fn("Barbican.removeQuotas")(function* (projectId) {
          if (url === undefined) return
          yield* (yield* system).remove("removeQuotas", HttpClientRequest.delete(quotasOf(projectId)))
        })
      })
    })
  )
}

const quotasOf = (projectId: string) => `/v1/project-quotas/${encodeURIComponent(projectId)}`
