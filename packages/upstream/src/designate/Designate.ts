import { Context, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Catalog } from "../openstack/Catalog.ts"
import { underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import type { System } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"

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

/** More pages than any tenant has. A list beyond it counts as endless and fails. */
const maxPages = 1000

/** DNS zones and their recordsets. A cloud may lack the service. */
export class Designate extends Context.Service<
  Designate,
  {
    /** False in a cloud without the service. Then the calls of {@link as} fail. */
    readonly present: boolean
    as(projectId: string): Effect.Effect<TenantDns>
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
      const client = yield* HttpClient.HttpClient
      const url = (yield* Catalog).find("dns")
      const system = (session: (typeof sessions)["control"]) =>
        underSession({ upstream: "designate", url: url ?? "", session }).pipe(
          Effect.provideService(Sessions, sessions),
          Effect.provideService(HttpClient.HttpClient, client)
        )

      const write = Effect.fnUntraced(function* (call: string, projectId: string, quotas: object) {
        const request = HttpClientRequest.patch(quotasOf(projectId), { headers: everywhere })
        yield* (yield* system(sessions.control)).send(call, HttpClientRequest.bodyJsonUnsafe(request, quotas))
      })

      return Designate.of({
        present: url !== undefined,
        as: (projectId) => Effect.map(system(sessions.tenant(projectId)), tenantDns),
        writeZoneQuota: Effect.fn("Designate.writeZoneQuota")(function* (projectId, zones) {
          if (url === undefined) return
          yield* write("writeZoneQuota", projectId, { zones })
        }),
        closeOthers: Effect.fn("Designate.closeOthers")(function* (projectId) {
          if (url === undefined) return
          yield* write("writeOtherQuotas", projectId, { zone_recordsets: 0 })
        }),
        removeQuotas: Effect.fn("Designate.removeQuotas")(function* (projectId) {
          if (url === undefined) return
          const request = HttpClientRequest.delete(quotasOf(projectId), { headers: everywhere })
          yield* (yield* system(sessions.control)).remove("removeQuotas", request)
        })
      })
    })
  )
}

const quotasOf = (projectId: string) => `/quotas/${encodeURIComponent(projectId)}`

/** An administrator needs this header for another project's quotas. */
const everywhere = { "x-auth-all-projects": "true" }

const tenantDns = (system: System): TenantDns => {
  const zoneAt = (zoneId: string) => `/zones/${encodeURIComponent(zoneId)}`
  const recordsetsAt = (zoneId: string) => `${zoneAt(zoneId)}/recordsets`
  const recordsetAt = (zoneId: string, id: string) => `${recordsetsAt(zoneId)}/${encodeURIComponent(id)}`

  return {
    zones: allOf(
      system,
      "listZones",
      "/zones",
      Schema.Struct({ zones: Schema.Array(DesignateZone), ...counted }),
      (_) => _.zones
    ),
    findZone: (zoneId) => system.find("findZone", HttpClientRequest.get(zoneAt(zoneId)), DesignateZone),
    createZone: (name, content) =>
      system.write(
        "createZone",
        HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/zones"), { name, ...content }),
        DesignateZone
      ),
    changeZone: (zoneId, content) =>
      system.read(
        "changeZone",
        HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.patch(zoneAt(zoneId)), content),
        DesignateZone
      ),
    removeZone: (zoneId) => system.remove("removeZone", HttpClientRequest.delete(zoneAt(zoneId))),
    nameservers: (zoneId) =>
      Effect.map(
        system.read("nameservers", HttpClientRequest.get(`${zoneAt(zoneId)}/nameservers`), Nameservers),
        ({ nameservers }) => nameservers.map((_) => _.hostname)
      ),
    recordsets: (zoneId) =>
      allOf(
        system,
        "listRecordsets",
        recordsetsAt(zoneId),
        Schema.Struct({ recordsets: Schema.Array(DesignateRecordset), ...counted }),
        (_) => _.recordsets
      ),
    findRecordset: (zoneId, id) =>
      system.find("findRecordset", HttpClientRequest.get(recordsetAt(zoneId, id)), DesignateRecordset),
    createRecordset: (zoneId, key, content) =>
      system.write(
        "createRecordset",
        HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(recordsetsAt(zoneId)), { ...key, ...content }),
        DesignateRecordset
      ),
    changeRecordset: (zoneId, id, content) =>
      system.read(
        "changeRecordset",
        HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.put(recordsetAt(zoneId, id)), content),
        DesignateRecordset
      ),
    removeRecordset: (zoneId, id) =>
      system.remove("removeRecordset", HttpClientRequest.delete(recordsetAt(zoneId, id))),
    quotas: system.read("readQuotas", HttpClientRequest.get("/quotas"), DesignateQuotas)
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

/**
 * All items of a list. The next page is requested by the last id, never by the
 * response's link, which names an internal host.
 */
const allOf = Effect.fnUntraced(function* <A extends Counted, I, Row extends { readonly id: string }>(
  system: System,
  call: string,
  path: string,
  schema: Schema.Codec<A, I>,
  rowsOf: (page: A) => ReadonlyArray<Row>
) {
  const all: Array<Row> = []
  for (let page = 0; page < maxPages; page++) {
    const marker = all.at(-1)?.id
    const urlParams = { limit: String(pageLimit), ...(marker === undefined ? {} : { marker }) }
    const read = yield* system.read(call, HttpClientRequest.get(path, { urlParams }), schema)
    const rows = rowsOf(read)
    all.push(...rows)
    if (rows.length < pageLimit || all.length === read.metadata?.total_count) return all
  }
  const words = `its list does not end after ${maxPages} pages`
  return yield* new UpstreamError({ upstream: system.upstream, call, status: 200, words })
})
