import { Context, Effect, Layer } from "effect"
import { HttpClientRequest } from "effect/http"
import { Catalog } from "../openstack/Catalog.ts"
import { underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import { putJson } from "../requests.ts"
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
      const { control } = yield* Sessions
      const url = (yield* Catalog).find("key-manager")
      const system = (yield* underSession)({ upstream: "barbican", url: url ?? "", session: control })

      return Barbican.of({
        closeQuotas: Effect.fn("Barbican.closeQuotas")(function* (projectId) {
          if (url === undefined) return
          // Consumers stay unlimited: a running load balancer registers itself anew.
          const project_quotas = { secrets: 0, containers: 0, orders: 0, cas: 0 }
          yield* system.send("write quotas", putJson(quotasOf(projectId), { project_quotas }))
        }),
        removeQuotas: Effect.fn("Barbican.removeQuotas")(function* (projectId) {
          if (url === undefined) return
          yield* system.remove("remove quotas", HttpClientRequest.delete(quotasOf(projectId)))
        })
      })
    })
  )
}

const quotasOf = (projectId: string) => `/v1/project-quotas/${encodeURIComponent(projectId)}`
