import { Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Catalog } from "../openstack/Catalog.ts"
import { underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import { allPages, markerOf, pagesThatFit } from "../paging.ts"
import { patchJson, postJson, putJson } from "../requests.ts"
import type { System } from "../System.ts"
import type { UpstreamError } from "../UpstreamError.ts"

const progress = { status: Schema.String, action: Schema.String }
/** Times are in UTC without a suffix: `2026-01-01T00:00:00.000000`. */
const times = { created_at: Schema.String, updated_at: Schema.NullOr(Schema.String) }

export const DesignateZone = Schema.Struct({
  id: Schema.String,
  project_id: Schema.String,
  name: Schema.String,
  email: Schema.String,
  /** Seconds. */
  ttl: Schema.Int,
  serial: Schema.Int,
  description: Schema.NullOr(Schema.String),
  ...progress,
  ...times
})
export type DesignateZone = typeof DesignateZone.Type

export const DesignateRecordset = Schema.Struct({
  id: Schema.String,
  zone_id: Schema.String,
  name: Schema.String,
  type: Schema.String,
  records: Schema.Array(Schema.String),
  /** Seconds; null for the zone's TTL. */
  ttl: Schema.NullOr(Schema.Int),
  description: Schema.NullOr(Schema.String),
  ...progress,
  ...times
})
export type DesignateRecordset = typeof DesignateRecordset.Type

/** The writable properties of a zone. The name can be set only at creation. */
export interface ZoneContent {
  readonly email?: string
  readonly ttl?: number
  readonly description?: string | null
}

export interface RecordsetContent {
  readonly records?: ReadonlyArray<string>
  /** Null for the zone's TTL. */
  readonly ttl?: number | null
  readonly description?: string | null
}

/** A project's limits; -1 is unlimited. */
export const DesignateQuotas = Schema.Struct({
  zones: Schema.Int,
  zone_recordsets: Schema.Int,
  zone_records: Schema.Int,
  recordset_records: Schema.Int
})
export type DesignateQuotas = typeof DesignateQuotas.Type

/** Designate for one tenant. All calls use the tenant's own session, so that they see only what the tenant may see. */
export interface TenantDns {
  /** All zones that the tenant sees, including zones that other projects share with it. */
  readonly zones: Effect.Effect<ReadonlyArray<DesignateZone>, UpstreamError>
  findZone(zoneId: string): Effect.Effect<DesignateZone | undefined, UpstreamError>
  /** Sent once: after an `unsettled` failure the zone may exist. */
  createZone(name: string, content: ZoneContent): Effect.Effect<DesignateZone, UpstreamError>
  changeZone(zoneId: string, content: ZoneContent): Effect.Effect<DesignateZone, UpstreamError>
  /** Starts the removal. A zone that is gone is no error. */
  removeZone(zoneId: string): Effect.Effect<void, UpstreamError>
  /** The host names, as Designate spells them, that a parent has to delegate the zone to. */
  nameservers(zoneId: string): Effect.Effect<ReadonlyArray<string>, UpstreamError>
  /** All recordsets of a zone, including SOA and NS. */
  recordsets(zoneId: string): Effect.Effect<ReadonlyArray<DesignateRecordset>, UpstreamError>
  findRecordset(zoneId: string, recordsetId: string): Effect.Effect<DesignateRecordset | undefined, UpstreamError>
  /** Sent once, like {@link createZone}. */
  createRecordset(
    zoneId: string,
    key: { readonly name: string; readonly type: string },
    content: RecordsetContent
  ): Effect.Effect<DesignateRecordset, UpstreamError>
  /** Absent properties stay unchanged; records are replaced as a whole. Repeatable. */
  changeRecordset(
    zoneId: string,
    recordsetId: string,
    content: RecordsetContent
  ): Effect.Effect<DesignateRecordset, UpstreamError>
  removeRecordset(zoneId: string, recordsetId: string): Effect.Effect<void, UpstreamError>
  readonly quotas: Effect.Effect<DesignateQuotas, UpstreamError>
}

/** The page size, which is Designate's maximum. */
const pageLimit = 1000

/** DNS zones and their recordsets. A cloud may lack the service. */
export class Designate extends Context.Service<
  Designate,
  {
    /** False in a cloud without the service. Then the calls of {@link as} fail. */
    readonly present: boolean
    as(projectId: string): TenantDns
    /** The zones of all projects, under the control identity. None without the service. */
    readonly everyZone: Effect.Effect<ReadonlyArray<DesignateZone>, UpstreamError>
    /** Writes the limit of a project's zones, under the control identity. Does nothing without the service. */
    writeZoneQuota(projectId: string, zones: number): Effect.Effect<void, UpstreamError>
    /**
     * Sets the limit of recordsets per zone, which the tiers do not name, to 0.
     * Existing recordsets can still change.
     */
    closeOthers(projectId: string): Effect.Effect<void, UpstreamError>
    /** Restores the defaults. Succeeds when no quota was written. */
    removeQuotas(projectId: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/designate/Designate") {
  static readonly layer = Layer.effect(
    Designate,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const under = yield* underSession
      const url = (yield* Catalog).find("dns")
      const system = (session: (typeof sessions)["control"]) =>
        under({ upstream: "designate", url: url ?? "", session })
      const control = system(sessions.control)

      const write = (call: string, projectId: string, quotas: object) =>
        control.send(call, patchJson(quotasOf(projectId), quotas, { headers: everywhere }))

      return Designate.of({
        present: url !== undefined,
        as: (projectId) => tenantDns(system(sessions.tenant(projectId))),
        everyZone: url === undefined ? Effect.succeed([]) : zonesOf(control, everywhere),
        writeZoneQuota: Effect.fn("Designate.writeZoneQuota")(function* (projectId, zones) {
          if (url === undefined) return
          yield* write("write zone quota", projectId, { zones })
        }),
        closeOthers: Effect.fn("Designate.closeOthers")(function* (projectId) {
          if (url === undefined) return
          yield* write("write other quotas", projectId, { zone_recordsets: 0 })
        }),
        removeQuotas: Effect.fn("Designate.removeQuotas")(function* (projectId) {
          if (url === undefined) return
          const request = HttpClientRequest.delete(quotasOf(projectId), { headers: everywhere })
          yield* control.remove("remove quotas", request)
        })
      })
    })
  )
}

const quotasOf = (projectId: string) => `/quotas/${encodeURIComponent(projectId)}`

/** An administrator needs this header for another project's quotas, and for a list of all zones. */
const everywhere = { "x-auth-all-projects": "true" }

type Headers = Readonly<Record<string, string>>

const zonesOf = (system: System, headers: Headers = {}) =>
  allOf(
    system,
    "list zones",
    "/zones",
    Schema.Struct({ zones: Schema.Array(DesignateZone), ...counted }),
    (_) => _.zones,
    headers
  )

const tenantDns = (system: System): TenantDns => {
  const zoneAt = (zoneId: string) => `/zones/${encodeURIComponent(zoneId)}`
  const recordsetsAt = (zoneId: string) => `${zoneAt(zoneId)}/recordsets`
  const recordsetAt = (zoneId: string, id: string) => `${recordsetsAt(zoneId)}/${encodeURIComponent(id)}`

  return {
    zones: zonesOf(system),
    findZone: (zoneId) => system.find("find zone", HttpClientRequest.get(zoneAt(zoneId)), DesignateZone),
    createZone: (name, content) => system.write("create zone", postJson("/zones", { name, ...content }), DesignateZone),
    changeZone: (zoneId, content) => system.read("change zone", patchJson(zoneAt(zoneId), content), DesignateZone),
    removeZone: (zoneId) => system.remove("remove zone", HttpClientRequest.delete(zoneAt(zoneId))),
    nameservers: (zoneId) =>
      Effect.map(
        system.read("list nameservers", HttpClientRequest.get(`${zoneAt(zoneId)}/nameservers`), Nameservers),
        ({ nameservers }) => nameservers.map((_) => _.hostname)
      ),
    recordsets: (zoneId) =>
      allOf(
        system,
        "list recordsets",
        recordsetsAt(zoneId),
        Schema.Struct({ recordsets: Schema.Array(DesignateRecordset), ...counted }),
        (_) => _.recordsets
      ),
    findRecordset: (zoneId, id) =>
      system.find("find recordset", HttpClientRequest.get(recordsetAt(zoneId, id)), DesignateRecordset),
    createRecordset: (zoneId, key, content) =>
      system.write("create recordset", postJson(recordsetsAt(zoneId), { ...key, ...content }), DesignateRecordset),
    changeRecordset: (zoneId, id, content) =>
      system.read("change recordset", putJson(recordsetAt(zoneId, id), content), DesignateRecordset),
    removeRecordset: (zoneId, id) =>
      system.remove("remove recordset", HttpClientRequest.delete(recordsetAt(zoneId, id))),
    quotas: system.read("read quotas", HttpClientRequest.get("/quotas"), DesignateQuotas)
  }
}

const Nameservers = Schema.Struct({ nameservers: Schema.Array(Schema.Struct({ hostname: Schema.String })) })

/** The total count of a list over all pages. A release may be configured to omit it. */
const counted = {
  metadata: Schema.optionalKey(Schema.Struct({ total_count: Schema.optionalKey(Schema.Int) }))
}

interface Counted {
  readonly metadata?: { readonly total_count?: number }
}

/** All items of a list. Tenants choose how long their records are. */
const allOf = <A extends Counted, I, Row extends { readonly id: string }>(
  system: System,
  call: string,
  path: string,
  schema: Schema.Codec<A, I>,
  rowsOf: (page: A) => ReadonlyArray<Row>,
  headers: Headers = {}
) =>
  Effect.suspend(() => {
    const fitting = pagesThatFit(pageLimit)
    return allPages<Row, UpstreamError>({ upstream: system.upstream, call }, (found) =>
      fitting((limit) => {
        const urlParams = { limit: String(limit), ...markerOf(found) }
        return Effect.map(system.read(call, HttpClientRequest.get(path, { urlParams, headers }), schema), (page) => {
          const items = rowsOf(page)
          const isWhole = found.length + items.length === page.metadata?.total_count
          return { items, more: items.length === limit && !isWhole }
        })
      })
    )
  })
