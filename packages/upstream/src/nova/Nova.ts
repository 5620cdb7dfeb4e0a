import type { ServiceQuotas } from "@portico/contract/Tiers"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled } from "../openstack/openstack.ts"
import { putJson } from "../requests.ts"
import { UpstreamError } from "../UpstreamError.ts"

const Usage = Schema.Struct({ limit: Schema.Int, in_use: Schema.Int })
const Detail = Schema.Struct({ cores: Usage, ram: Usage, instances: Usage })
const Others = Schema.Struct({ server_groups: Schema.Int, key_pairs: Schema.Int })
const Limits = Schema.Struct({ cores: Schema.Int, ram: Schema.Int, instances: Schema.Int })

/** Compute quotas, under the control identity. `ram` is in MiB; -1 is unlimited. */
export class Nova extends Context.Service<
  Nova,
  {
    /** Writes the limits, even below the usage, and reads them back. */
    writeQuotas(projectId: string, quotas: ServiceQuotas["nova"]): Effect.Effect<void, UpstreamError>
    readQuotas(projectId: string): Effect.Effect<typeof Detail.Type, UpstreamError>
    /** Sets the limits of server groups and key pairs, which the tiers do not name, to 0, regardless of the usage. */
    closeOthers(projectId: string): Effect.Effect<void, UpstreamError>
    /** Restores the defaults of the quotas that {@link closeOthers} writes. */
    resetOthers(projectId: string): Effect.Effect<void, UpstreamError>
    /** Restores all defaults. */
    removeQuotas(projectId: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/nova/Nova") {
  static readonly layer = Layer.effect(
    Nova,
    Effect.gen(function* () {
      const system = yield* controlled("nova", "compute")
      const url = (projectId: string) => `/os-quota-sets/${encodeURIComponent(projectId)}`

      const writeQuotas = Effect.fn("Nova.writeQuotas")(function* (projectId: string, quotas: ServiceQuotas["nova"]) {
        yield* system.send("write quotas", putJson(url(projectId), { quota_set: { ...quotas, force: true } }))
        // A cloud with the unified-limits driver answers 200 and writes nothing.
        const { quota_set } = yield* system.read(
          "read back quotas",
          HttpClientRequest.get(url(projectId)),
          Schema.Struct({ quota_set: Limits })
        )
        if (!sameQuotas(quota_set, quotas)) {
          return yield* new UpstreamError({
            upstream: "nova",
            call: "write quotas",
            status: 200,
            detail: "the quota write was accepted and not applied; does this cloud use unified limits?"
          })
        }
      })

      const put = (projectId: string, quota_set: typeof Others.Type) =>
        system.send("write other quotas", putJson(url(projectId), { quota_set: { ...quota_set, force: true } }))

      return Nova.of({
        writeQuotas,
        closeOthers: (projectId) => put(projectId, { server_groups: 0, key_pairs: 0 }),
        resetOthers: (projectId) =>
          Effect.flatMap(
            system.read(
              "read default quotas",
              HttpClientRequest.get(`${url(projectId)}/defaults`),
              Schema.Struct({ quota_set: Others })
            ),
            (_) => put(projectId, _.quota_set)
          ),
        readQuotas: (projectId) =>
          Effect.map(
            system.read(
              "read quotas",
              HttpClientRequest.get(`${url(projectId)}/detail`),
              Schema.Struct({ quota_set: Detail })
            ),
            (_) => _.quota_set
          ),
        removeQuotas: (projectId) => system.remove("remove quotas", HttpClientRequest.delete(url(projectId)))
      })
    })
  )
}

const sameQuotas = (a: ServiceQuotas["nova"], b: ServiceQuotas["nova"]): boolean =>
  a.cores === b.cores && a.ram === b.ram && a.instances === b.instances
