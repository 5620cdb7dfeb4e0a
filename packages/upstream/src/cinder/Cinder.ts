import type { ServiceQuotas } from "@portico/contract/Tiers"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import { putJson } from "../requests.ts"
import type { UpstreamError } from "../UpstreamError.ts"

const Usage = Schema.Struct({ limit: Schema.Int, in_use: Schema.Int, reserved: Schema.Int })
const Detail = Schema.Struct({ volumes: Usage, gigabytes: Usage, backups: Usage, backup_gigabytes: Usage })

const Others = Schema.Struct({ snapshots: Schema.Int, groups: Schema.Int })
const OtherUsages = Schema.Struct({ snapshots: Usage, groups: Usage })

export type CinderQuotas = ServiceQuotas["cinder"]

const keys = ["volumes", "gigabytes", "backups", "backup_gigabytes"] as const

/** The written limits, and the keys that stay at the usage because it exceeds the wanted limit. */
export interface WrittenCinderQuotas {
  readonly written: CinderQuotas
  readonly held: ReadonlyArray<string>
}

/** Block storage quotas, under the control identity. Sizes are in GiB; -1 is unlimited. */
export class Cinder extends Context.Service<
  Cinder,
  {
    /** For a new project, which has no usage. */
    writeQuotas(projectId: string, quotas: CinderQuotas): Effect.Effect<void, UpstreamError>
    /** Never writes a limit below the current usage: no release of Cinder allows that. */
    writeQuotasAboveUsage(projectId: string, quotas: CinderQuotas): Effect.Effect<WrittenCinderQuotas, UpstreamError>
    /** Freezes the quotas outside the tiers, snapshots and groups, at the current usage. */
    closeOthers(projectId: string): Effect.Effect<void, UpstreamError>
    /** Restores the defaults of the quotas that {@link closeOthers} writes. */
    resetOthers(projectId: string): Effect.Effect<void, UpstreamError>
    readQuotas(projectId: string): Effect.Effect<typeof Detail.Type, UpstreamError>
    removeQuotas(projectId: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/cinder/Cinder") {
  static readonly layer = Layer.effect(
    Cinder,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const system = yield* controlled("cinder", "volume")

      // The path starts with the caller's own project and ends with the subject.
      const url = (projectId: string) =>
        Effect.map(sessions.controlProjectId, (own) => `/${own}/os-quota-sets/${encodeURIComponent(projectId)}`)

      const writeQuotas = Effect.fn("Cinder.writeQuotas")(function* (projectId: string, quotas: CinderQuotas) {
        yield* system.send("write quotas", putJson(yield* url(projectId), { quota_set: quotas }))
      })

      const readQuotas = Effect.fn("Cinder.readQuotas")(function* (projectId: string) {
        const { quota_set } = yield* system.read(
          "read quotas",
          HttpClientRequest.get(yield* url(projectId), { urlParams: { usage: "True" } }),
          Schema.Struct({ quota_set: Detail })
        )
        return quota_set
      })

      const writeQuotasAboveUsage = Effect.fn("Cinder.writeQuotasAboveUsage")(
        function* (projectId: string, quotas: CinderQuotas) {
          const usage = yield* readQuotas(projectId)
          const floor = (key: (typeof keys)[number]) => usage[key].in_use + usage[key].reserved
          const held = keys.filter((key) => floor(key) > quotas[key])
          const written = {
            volumes: Math.max(quotas.volumes, floor("volumes")),
            gigabytes: Math.max(quotas.gigabytes, floor("gigabytes")),
            backups: Math.max(quotas.backups, floor("backups")),
            backup_gigabytes: Math.max(quotas.backup_gigabytes, floor("backup_gigabytes"))
          }
          yield* writeQuotas(projectId, written)
          return { written, held }
        },
        // The usage can grow between the read and the write. The retry reads it again.
        Effect.retry({ times: 1, while: (error) => error.status === 400 })
      )

      const putOthers = Effect.fnUntraced(function* (projectId: string, quota_set: typeof Others.Type) {
        yield* system.send("write other quotas", putJson(yield* url(projectId), { quota_set }))
      })

      return Cinder.of({
        writeQuotas,
        closeOthers: Effect.fn("Cinder.closeOthers")(
          function* (projectId) {
            const request = HttpClientRequest.get(yield* url(projectId), { urlParams: { usage: "True" } })
            const { quota_set } = yield* system.read(
              "read other quotas",
              request,
              Schema.Struct({ quota_set: OtherUsages })
            )
            const { groups, snapshots } = quota_set
            yield* putOthers(projectId, {
              snapshots: snapshots.in_use + snapshots.reserved,
              groups: groups.in_use + groups.reserved
            })
          },
          // The usage can grow between the read and the write.
          Effect.retry({ times: 1, while: (error) => error.status === 400 })
        ),
        resetOthers: Effect.fn("Cinder.resetOthers")(function* (projectId) {
          const { quota_set } = yield* system.read(
            "read default quotas",
            HttpClientRequest.get(`${yield* url(projectId)}/defaults`),
            Schema.Struct({ quota_set: Others })
          )
          yield* putOthers(projectId, quota_set)
        }),
        writeQuotasAboveUsage,
        readQuotas,
        removeQuotas: Effect.fnUntraced(function* (projectId) {
          yield* system.remove("remove quotas", HttpClientRequest.delete(yield* url(projectId)))
        })
      })
    })
  )
}
