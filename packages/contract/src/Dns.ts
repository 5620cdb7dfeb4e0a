import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"

/** The record types that the API writes; others are shown and left alone. */
export const RecordType = Schema.Literals(["A", "AAAA", "CNAME", "TXT", "MX"]).annotate({ identifier: "DnsRecordType" })
export type RecordType = typeof RecordType.Type

/** Seconds, RFC 2181, section 8. */
const Ttl = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))

/** Designate's maximum length. Its database cannot store characters beyond U+FFFF. */
const Description = Schema.String.check(
  Schema.isMaxLength(160),
  Schema.isPattern(/^[^\p{Cc}\p{Cs}\u{10000}-\u{10ffff}]*$/u, {
    expected: "a string without control characters, and without emoji and other characters beyond U+FFFF"
  })
)

const Name = Schema.String.check(Schema.isMaxLength(255))

export const ZoneCreate = Schema.Struct({
  /** Absolute, with the dot at its end: `example.org.` */
  name: Name,
  /** The contact of the SOA record; usually DNS_ZONE_EMAIL. */
  email: Schema.optionalKey(EmailAddress),
  /** The TTL of records without one of their own, in seconds; usually 3600. */
  ttl: Schema.optionalKey(Ttl),
  description: Schema.optionalKey(Schema.NullOr(Description))
}).annotate({ identifier: "DnsZoneCreate" })
export type ZoneCreate = typeof ZoneCreate.Type

export const ZonePatch = Schema.Struct({
  email: Schema.optionalKey(EmailAddress),
  ttl: Schema.optionalKey(Ttl),
  description: Schema.optionalKey(Schema.NullOr(Description))
}).annotate({ identifier: "DnsZonePatch" })
export type ZonePatch = typeof ZonePatch.Type

/** The state of the name servers: PENDING until they have applied `action`, then ACTIVE; ERROR when they failed. */
const progress = { status: Schema.String, action: Schema.String }
const times = { created_at: Schema.String, updated_at: Schema.NullOr(Schema.String) }

export const ZoneRow = Schema.Struct({
  zone_id: Schema.String,
  name: Schema.String,
  email: Schema.String,
  ttl: Schema.Int,
  serial: Schema.Int,
  description: Schema.NullOr(Schema.String),
  ...progress,
  ...times
}).annotate({ identifier: "DnsZone" })
export type ZoneRow = typeof ZoneRow.Type

const Records = Schema.Array(Schema.String.check(Schema.isMaxLength(16_384))).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(500)
)

export const RecordsetCreate = Schema.Struct({
  /** `www`, `www.example.org.` with its dot, or `@` for the zone itself. */
  name: Name,
  type: RecordType,
  /** `192.0.2.1`, `2001:db8::1`, `www.example.org.`, `10 mail.example.org.`, or any text. */
  records: Records,
  /** In seconds; null or missing for the zone's. */
  ttl: Schema.optionalKey(Schema.NullOr(Ttl)),
  description: Schema.optionalKey(Schema.NullOr(Description))
}).annotate({ identifier: "DnsRecordsetCreate" })
export type RecordsetCreate = typeof RecordsetCreate.Type

/** Missing fields stay unchanged. */
export const RecordsetPatch = Schema.Struct({
  records: Schema.optionalKey(Records),
  /** Null for the zone's. */
  ttl: Schema.optionalKey(Schema.NullOr(Ttl)),
  description: Schema.optionalKey(Schema.NullOr(Description))
}).annotate({ identifier: "DnsRecordsetPatch" })
export type RecordsetPatch = typeof RecordsetPatch.Type

/** All records of one name and type. */
const recordset = {
  name: Schema.String,
  type: Schema.String,
  /** Null for the zone's. */
  ttl: Schema.NullOr(Schema.Int),
  /** In zone file syntax; texts are in quotes. */
  records: Schema.Array(Schema.String)
}

export const RecordsetRow = Schema.Struct({
  recordset_id: Schema.String,
  zone_id: Schema.String,
  ...recordset,
  description: Schema.NullOr(Schema.String),
  /**
   * True for records that the platform writes itself (SOA and NS of the zone),
   * and for types that the API does not write.
   */
  read_only: Schema.Boolean,
  ...progress,
  ...times
}).annotate({ identifier: "DnsRecordset" })
export type RecordsetRow = typeof RecordsetRow.Type

export const ZoneImport = Schema.Struct({
  /** RFC 1035, section 5. Larger ones are imported in parts. */
  zonefile: Schema.String.check(Schema.isMaxLength(65_536)),
  /** Only reports what would be done. */
  dry_run: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  /** Also removes recordsets that the file lacks, of the types that the API writes. */
  prune: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
}).annotate({ identifier: "DnsZoneImport" })
export type ZoneImport = typeof ZoneImport.Type

export const ImportedSet = Schema.Struct(recordset).annotate({ identifier: "DnsImportedRecordset" })
export type ImportedSet = typeof ImportedSet.Type

/** What was done, or would be done. */
export const ZoneImported = Schema.Struct({
  dry_run: Schema.Boolean,
  create: Schema.Array(ImportedSet),
  update: Schema.Array(Schema.Struct({ before: ImportedSet, after: ImportedSet })),
  /** The number of recordsets that already match the file. */
  unchanged: Schema.Int,
  delete: Schema.Array(ImportedSet),
  /** Records of the file that were skipped. */
  skipped: Schema.Array(Schema.Struct({ line: Schema.Int, why: Schema.String }))
}).annotate({ identifier: "DnsZoneImported" })
export type ZoneImported = typeof ZoneImported.Type

/**
 * `delegated`: to exactly the platform's name servers. `partial`: to some of
 * them, or to others too. `elsewhere`: to none of them. `absent`: the parent
 * zone has no delegation.
 */
export const DelegationStatus = Schema.Literals(["delegated", "partial", "elsewhere", "absent"])

export const Delegation = Schema.Struct({
  /** The zone's name. */
  zone: Schema.String,
  /** The name servers that the parent zone should have. */
  expected: Schema.Array(Schema.String),
  /** The name servers that the DNS returns. */
  found: Schema.Array(Schema.String),
  delegated: Schema.Boolean,
  status: DelegationStatus,
  missing: Schema.Array(Schema.String),
  extra: Schema.Array(Schema.String),
  checked_at: Schema.String
}).annotate({ identifier: "DnsDelegation" })
export type Delegation = typeof Delegation.Type

const zoneId = { zone_id: Schema.String }
const recordsetId = { ...zoneId, recordset_id: Schema.String }
const zone = "/dns/zones/:zone_id"

/** Both planes. */
export class Dns extends HttpApiGroup.make("dns")
  .add(
    HttpApiEndpoint.get("zones", "/dns/zones", {
      query: pageQuery,
      success: Schema.Struct({ ...pageFields, zones: Schema.Array(ZoneRow) }).annotate({ identifier: "DnsZoneList" }),
      error: failures("service_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.post("createZone", "/dns/zones", {
      payload: ZoneCreate,
      success: ZoneRow.pipe(HttpApiSchema.status(201)),
      error: failures(
        "ceiling_reached",
        "concurrent_change",
        "dns_name_refused",
        "platform_namespace",
        "service_not_found",
        "tenant_not_found",
        "tier_unreadable",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }).middleware(Creates),
    HttpApiEndpoint.get("showZone", zone, {
      params: zoneId,
      success: ZoneRow,
      error: failures("dns_zone_not_found", "service_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.patch("changeZone", zone, {
      params: zoneId,
      payload: ZonePatch,
      success: ZoneRow,
      error: failures(
        "dns_zone_not_found",
        "service_not_found",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.delete("removeZone", zone, {
      params: zoneId,
      success: ZoneRow.pipe(HttpApiSchema.status(202)),
      error: failures(
        "dns_zone_not_found",
        "service_not_found",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.get("recordsets", `${zone}/recordsets`, {
      params: zoneId,
      query: {
        /** Short or absolute, as in a create. */
        name: Schema.optionalKey(Name),
        type: Schema.optionalKey(Schema.Literals([...RecordType.literals, "NS", "SOA"])),
        ...pageQuery
      },
      success: Schema.Struct({ ...pageFields, recordsets: Schema.Array(RecordsetRow) }).annotate({
        identifier: "DnsRecordsetList"
      }),
      error: failures("dns_name_refused", "dns_zone_not_found", "service_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.post("createRecordset", `${zone}/recordsets`, {
      params: zoneId,
      payload: RecordsetCreate,
      success: RecordsetRow.pipe(HttpApiSchema.status(201)),
      error: failures(
        "dns_name_refused",
        "dns_records_refused",
        "dns_zone_not_found",
        "service_not_found",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }).middleware(Creates),
    HttpApiEndpoint.patch("changeRecordset", `${zone}/recordsets/:recordset_id`, {
      params: recordsetId,
      payload: RecordsetPatch,
      success: RecordsetRow,
      error: failures(
        "dns_records_refused",
        "dns_zone_not_found",
        "recordset_not_found",
        "recordset_read_only",
        "service_not_found",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.delete("removeRecordset", `${zone}/recordsets/:recordset_id`, {
      params: recordsetId,
      success: RecordsetRow.pipe(HttpApiSchema.status(202)),
      error: failures(
        "dns_zone_not_found",
        "recordset_not_found",
        "recordset_read_only",
        "service_not_found",
        "upstream_conflict",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.post("importZone", `${zone}/import`, {
      params: zoneId,
      payload: ZoneImport,
      success: ZoneImported,
      error: failures(
        "alias_beside_others",
        "ceiling_reached",
        "concurrent_change",
        "dns_zone_not_found",
        "policy_denied",
        "service_not_found",
        "tenant_suspended",
        "tier_too_low",
        "upstream_failed",
        "validation_error",
        "zone_import_failed"
      )
    }),
    HttpApiEndpoint.get("delegation", `${zone}/delegation`, {
      params: zoneId,
      success: Delegation,
      error: failures("dns_zone_not_found", "service_not_found", "upstream_failed")
    })
  )
  .middleware(TenantScoped)
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
