import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { DestroysWith, TenantScoped } from "./Access.ts"
import { described, LongRunning, meanings, titled } from "./describe.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { ceilingCodes, failures, upstreamCodes } from "./Failures.ts"
import { callerRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery } from "./Page.ts"
import { optionalText } from "./Text.ts"

const writtenTypes = {
  A: "An IPv4 address: `192.0.2.1`.",
  AAAA: "An IPv6 address: `2001:db8::1`. It is kept in its shortest spelling.",
  CNAME:
    "An alias for another name, with the dot at its end: `www.example.net.`. One record, and no other records at " +
    "the name.",
  TXT: 'Any text: `v=spf1 -all`. A text wholly in quotes is read as in a zone file: `"v=spf1 -all"`.',
  MX: "A preference and a mail server, with the dot at its end: `10 mail.example.net.`; `0 .` says that the name takes no mail."
}

/** The record types that the API writes; others are shown and left alone. */
export const RecordType = meanings(
  "The type of the records, which decides the form of their data.",
  writtenTypes
).annotate({
  identifier: "DnsRecordType"
})
export type RecordType = typeof RecordType.Type

/** Seconds, RFC 2181, section 8. */
const Ttl = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))

/** Designate's maximum length. Its database cannot store characters beyond U+FFFF. */
const Description = optionalText(
  160,
  /^[^\p{Cc}\p{Cs}\u{10000}-\u{10ffff}]*$/u,
  "a string without control characters, and without emoji and other characters beyond U+FFFF"
)

const Name = Schema.String.check(Schema.isMaxLength(255))

const zoneEmail = "The mailbox of the person who is responsible for the zone, published in its SOA record."
const zoneTtl = "How long resolvers may keep records that have no `ttl` of their own, in seconds, 0 to 2147483647."
const note = "A note of the tenant's, at most 160 characters. It is not published."
const recordTtl = "How long resolvers may keep the records, in seconds, 0 to 2147483647."

export const ZoneCreate = Schema.Struct({
  name: Name.annotateKey({
    description:
      "The absolute name of the zone, with the dot at its end: `example.org.`. ASCII, at most 253 characters " +
      "besides the dot; an internationalised name in its `xn--` form. It is kept in lower case and never changes."
  }),
  email: Schema.optionalKey(EmailAddress).annotateKey({
    description: `${zoneEmail} Default: an address that the platform sets, usually \`hostmaster@\` and the zone's name.`
  }),
  ttl: Schema.optionalKey(Ttl).annotateKey({ description: `${zoneTtl} Default: the platform's, usually 3600.` }),
  description: Schema.optionalKey(Schema.NullOr(Description)).annotateKey({
    description: `${note} Default: null, for none.`
  })
}).annotate({ identifier: "DnsZoneCreate", description: "A new zone." })
export type ZoneCreate = typeof ZoneCreate.Type

export const ZonePatch = Schema.Struct({
  email: Schema.optionalKey(EmailAddress).annotateKey({ description: zoneEmail }),
  ttl: Schema.optionalKey(Ttl).annotateKey({ description: zoneTtl }),
  description: Schema.optionalKey(Schema.NullOr(Description)).annotateKey({
    description: `${note} Null removes it.`
  })
}).annotate({
  identifier: "DnsZonePatch",
  description: "A change of a zone. Fields that are left out stay as they are."
})
export type ZonePatch = typeof ZonePatch.Type

const progress = {
  status: Schema.String.annotateKey({
    description:
      "The state at the name servers: `PENDING` until they have applied `action`, then `ACTIVE`; `ERROR` when " +
      "they failed."
  }),
  action: Schema.String.annotateKey({
    description:
      "The change that the name servers receive: `CREATE`, `UPDATE`, `DELETE`, or `NONE` when there is nothing to do."
  })
}
const times = {
  created_at: Schema.String.annotateKey({ description: "When it was created. RFC 3339, UTC." }),
  updated_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it was last changed. RFC 3339, UTC. Null until the first change."
  })
}

export const ZoneRow = Schema.Struct({
  zone_id: Schema.String.annotateKey({ description: "The id of the zone, a UUID." }),
  name: Schema.String.annotateKey({ description: "The absolute name, with the dot at its end. It never changes." }),
  email: Schema.String.annotateKey({ description: zoneEmail }),
  ttl: Schema.Int.annotateKey({
    description: "How long resolvers may keep records that have no `ttl` of their own, in seconds."
  }),
  serial: Schema.Int.annotateKey({
    description: "The serial number in the SOA record, which grows with every change of the zone's records."
  }),
  description: Schema.NullOr(Schema.String).annotateKey({ description: "A note of the tenant's. Null for none." }),
  ...progress,
  ...times
}).annotate({ identifier: "DnsZone", description: "A zone, without its records." })
export type ZoneRow = typeof ZoneRow.Type

const Records = Schema.Array(Schema.String.check(Schema.isMaxLength(16_384))).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(500)
)

const givenRecords =
  "The records, 1 to 500, each at most 16384 characters, in the form that the type takes. Their order has no meaning."

export const RecordsetCreate = Schema.Struct({
  name: Name.annotateKey({
    description:
      "The name of the records: short (`www`, `a.b`, `*`), absolute with the dot at its end (`www.example.org.`) " +
      "and then inside the zone, or `@` for the zone itself. It never changes."
  }),
  type: RecordType.annotateKey({ description: "It never changes." }),
  records: Records.annotateKey({ description: givenRecords }),
  ttl: Schema.optionalKey(Schema.NullOr(Ttl)).annotateKey({
    description: `${recordTtl} Default: null, for the zone's \`ttl\`.`
  }),
  description: Schema.optionalKey(Schema.NullOr(Description)).annotateKey({
    description: `${note} Default: null, for none.`
  })
}).annotate({ identifier: "DnsRecordsetCreate", description: "A new recordset." })
export type RecordsetCreate = typeof RecordsetCreate.Type

export const RecordsetPatch = Schema.Struct({
  records: Schema.optionalKey(Records).annotateKey({ description: `${givenRecords} They replace all that are there.` }),
  ttl: Schema.optionalKey(Schema.NullOr(Ttl)).annotateKey({
    description: `${recordTtl} Null for the zone's \`ttl\`.`
  }),
  description: Schema.optionalKey(Schema.NullOr(Description)).annotateKey({
    description: `${note} Null removes it.`
  })
}).annotate({
  identifier: "DnsRecordsetPatch",
  description: "A change of a recordset. Fields that are left out stay as they are."
})
export type RecordsetPatch = typeof RecordsetPatch.Type

const recordset = {
  name: Schema.String.annotateKey({ description: "The absolute name of the records, with the dot at its end." }),
  type: Schema.String.annotateKey({
    description:
      "The type of the records: `A`, `AAAA`, `CNAME`, `TXT`, `MX`, or one that these operations do not write."
  }),
  ttl: Schema.NullOr(Schema.Int).annotateKey({
    description: "How long resolvers may keep the records, in seconds. Null for the zone's `ttl`."
  }),
  records: Schema.Array(Schema.String).annotateKey({
    description:
      "The records as in a zone file: texts are in quotes, cut after 253 characters, with `\\DDD` for each byte that " +
      "is not printable ASCII. Their order has no meaning."
  })
}

export const RecordsetRow = Schema.Struct({
  recordset_id: Schema.String.annotateKey({ description: "The id of the recordset, a UUID." }),
  zone_id: Schema.String.annotateKey({ description: "The id of its zone, a UUID." }),
  ...recordset,
  description: Schema.NullOr(Schema.String).annotateKey({ description: "A note of the tenant's. Null for none." }),
  read_only: Schema.Boolean.annotateKey({
    description:
      "Whether these operations leave the recordset alone: the SOA and NS records of the zone, which the platform " +
      "writes, and every type that they do not write."
  }),
  ...progress,
  ...times
}).annotate({ identifier: "DnsRecordset", description: "All records of one name and one type in a zone." })
export type RecordsetRow = typeof RecordsetRow.Type

export const ZoneImport = Schema.Struct({
  zonefile: Schema.String.check(Schema.isMaxLength(65_536)).annotateKey({
    description:
      "A zone file (RFC 1035, section 5) of at most 65536 characters, with `$ORIGIN`, `$TTL`, omitted owners, " +
      "comments, times with units, and the generic spelling of RFC 3597. `$INCLUDE` and `$GENERATE` are refused. " +
      "Import a larger file in parts."
  }),
  dry_run: Schema.Boolean.annotate({
    description: "Whether to report the changes without making them. Default true."
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  prune: Schema.Boolean.annotate({
    description:
      "Whether to delete the recordsets that the file lacks, of the types that these operations write. It is refused " +
      "(422) beside a record type of a name that is not known here. Default false."
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
}).annotate({ identifier: "DnsZoneImport", description: "A zone file to import." })
export type ZoneImport = typeof ZoneImport.Type

export const ImportedSet = Schema.Struct(recordset).annotate({
  identifier: "DnsImportedRecordset",
  description: "A recordset in the report of an import."
})
export type ImportedSet = typeof ImportedSet.Type

export const ZoneImported = Schema.Struct({
  dry_run: Schema.Boolean.annotateKey({ description: "True when nothing was done." }),
  create: Schema.Array(ImportedSet).annotateKey({ description: "The recordsets that are new." }),
  update: Schema.Array(
    Schema.Struct({
      before: ImportedSet.annotateKey({ description: "The recordset as it was." }),
      after: ImportedSet.annotateKey({ description: "The recordset as the file has it." })
    })
  ).annotateKey({ description: "The recordsets that differ from the file." }),
  unchanged: Schema.Int.annotateKey({ description: "The number of recordsets that match the file already." }),
  delete: Schema.Array(ImportedSet).annotateKey({
    description: "The recordsets that the file lacks. Empty without `prune`."
  }),
  skipped: Schema.Array(
    Schema.Struct({
      line: Schema.Int.annotateKey({ description: "The line of the file, from 1." }),
      why: Schema.String.annotateKey({ description: "Why the record was skipped." })
    })
  ).annotateKey({
    description:
      "The records of the file that are not imported: SOA, NS, and types that these operations do not write or do " +
      "not know."
  })
}).annotate({ identifier: "DnsZoneImported", description: "The changes that an import made or would make." })
export type ZoneImported = typeof ZoneImported.Type

export const DelegationStatus = meanings("Whether the DNS leads to the zone.", {
  delegated: "The name servers are exactly the platform's: the zone is live.",
  partial: "Some of the platform's name servers are missing, or there are others besides.",
  elsewhere: "There are name servers, and none of them is the platform's.",
  absent: "There are no name servers: the parent zone does not delegate the name."
})

export const Delegation = Schema.Struct({
  zone: Schema.String.annotateKey({ description: "The name of the zone, with the dot at its end." }),
  expected: Schema.Array(Schema.String).annotateKey({
    description: "The platform's name servers for the zone. Enter them at the registrar of the domain."
  }),
  found: Schema.Array(Schema.String).annotateKey({
    description: "The name servers that the DNS returns for the zone."
  }),
  delegated: Schema.Boolean.annotateKey({ description: "Whether `status` is `delegated`." }),
  status: DelegationStatus,
  missing: Schema.Array(Schema.String).annotateKey({ description: "Those of `expected` that were not found." }),
  extra: Schema.Array(Schema.String).annotateKey({ description: "Those of `found` that are not expected." }),
  checked_at: Schema.String.annotateKey({ description: "When the DNS was asked. RFC 3339, UTC." })
}).annotate({
  identifier: "DnsDelegation",
  description: "Whether the DNS leads to the zone, so that the world sees its records."
})
export type Delegation = typeof Delegation.Type

const zoneId = { zone_id: Schema.String.annotateKey({ description: "The id of the zone, a UUID." }) }
const recordsetId = {
  ...zoneId,
  recordset_id: Schema.String.annotateKey({ description: "The id of the recordset, a UUID." })
}
const zone = "/dns/zones/:zone_id"

/** The failures of a change in a zone. */
const ofWrites = [...upstreamCodes, "dns_zone_not_found", "service_not_found"] as const

/** Of operations that end when the name servers have the zone. */
const untilActive = { read: "dns.showZone", field: "status", done: ["ACTIVE"], failed: ["ERROR"] }

export class Dns extends HttpApiGroup.make("dns")
  .add(
    HttpApiEndpoint.get("zones", "/dns/zones", {
      query: {
        name: Schema.optionalKey(Name).annotateKey({
          description: "Only the zone with this name, with or without the dot at its end."
        }),
        ...pageQuery
      },
      success: pageList("DnsZoneList", {
        zones: Schema.Array(ZoneRow).annotateKey({ description: "The page, oldest zone first." })
      }),
      error: failures("service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "List DNS zones",
        "Returns one page of the tenant's zones, without their records. Zones that another project shares with the " +
          "tenant are not in the list."
      )
    ),
    HttpApiEndpoint.post("createZone", "/dns/zones", {
      payload: ZoneCreate,
      success: ZoneRow.pipe(HttpApiSchema.status(201)),
      error: failures(...ceilingCodes, ...upstreamCodes, "dns_name_refused", "platform_namespace", "service_not_found")
    })
      .annotateMerge(
        described(
          "Create a DNS zone",
          "Makes a zone with nothing in it but its SOA and NS records. The response comes before the name servers " +
            "have it (`status` `PENDING`). The world sees the zone once its domain is delegated to the platform's " +
            "name servers: `GET /v1/dns/zones/{zone_id}/delegation` names and checks them.\n\n- A tenant has at " +
            "most 5, 20 or 100 zones, by its tier (409 `ceiling_reached` with the numbers).\n- Names of the " +
            "platform, and names below or above one, are refused (403 `platform_namespace`), and so are reverse " +
            "zones, public suffixes such as `co.uk`, single labels, and zones around another tenant's zone.\n- A name that has a zone is a 409, also while a " +
            "deleted one is still being removed."
        )
      )
      .annotate(LongRunning, untilActive)
      .middleware(Creates),
    HttpApiEndpoint.get("showZone", zone, {
      params: zoneId,
      success: ZoneRow,
      error: failures("dns_zone_not_found", "service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Show a DNS zone",
        "Returns a zone without its records, and whether the name servers have its last change."
      )
    ),
    HttpApiEndpoint.patch("changeZone", zone, {
      params: zoneId,
      payload: ZonePatch,
      success: ZoneRow,
      error: failures(...ofWrites)
    })
      .annotateMerge(
        described(
          "Change a DNS zone",
          "Changes the contact, the default `ttl` or the note of a zone; its name and its records stay. The name " +
            "servers follow within seconds. An empty body changes nothing. It may be repeated."
        )
      )
      .annotate(LongRunning, untilActive),
    HttpApiEndpoint.delete("removeZone", zone, {
      params: zoneId,
      success: ZoneRow.pipe(HttpApiSchema.status(202)),
      error: failures(...ofWrites)
    })
      .annotateMerge(
        described(
          "Delete a DNS zone",
          "Deletes a zone with all its records; neither comes back. The response comes before the name servers have " +
            "removed it: until then the zone is shown with `action` `DELETE` and its name stays taken, and afterwards " +
            "it is a 404. A zone that has zones below it is a 409. It may be repeated meanwhile."
        )
      )
      .annotate(LongRunning, { ...untilActive, done: [], gone: true }),
    HttpApiEndpoint.get("recordsets", `${zone}/recordsets`, {
      params: zoneId,
      query: {
        name: Schema.optionalKey(Name).annotateKey({
          description: "Only recordsets of this name, short or absolute as in a creation. Default: all."
        }),
        type: Schema.optionalKey(
          meanings("Only recordsets of this type. Default: all.", {
            ...writtenTypes,
            NS: "The name servers of a zone. They are read-only here.",
            SOA: "The zone's own record. It is read-only here."
          })
        ),
        ...pageQuery
      },
      success: pageList("DnsRecordsetList", {
        recordsets: Schema.Array(RecordsetRow).annotateKey({ description: "The page, oldest recordset first." })
      }),
      error: failures("dns_name_refused", "dns_zone_not_found", "service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "List recordsets of a DNS zone",
        "Returns one page of the recordsets in a zone, those of the platform and of other types included " +
          "(`read_only`). A recordset is all records of one name and one type. `count` is the number of those that " +
          "match `name` and `type`."
      )
    ),
    HttpApiEndpoint.post("createRecordset", `${zone}/recordsets`, {
      params: zoneId,
      payload: RecordsetCreate,
      success: RecordsetRow.pipe(HttpApiSchema.status(201)),
      error: failures(...ofWrites, "dns_name_refused", "dns_records_refused")
    })
      .annotateMerge(
        described(
          "Create a recordset",
          "Makes the records of one name and one type. The response comes before the name servers have them " +
            "(`status` `PENDING`, usually for seconds). It never changes an existing recordset: one of the same " +
            "name and type is a 409, and is changed with a PATCH. A short name is taken to be inside the zone; a " +
            "name that ends with the zone's name but without the dot is refused with both spellings (422 " +
            "`dns_name_refused`)."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.patch("changeRecordset", `${zone}/recordsets/:recordset_id`, {
      params: recordsetId,
      payload: RecordsetPatch,
      success: RecordsetRow,
      error: failures(...ofWrites, "dns_records_refused", "recordset_not_found", "recordset_read_only")
    }).annotateMerge(
      described(
        "Change a recordset",
        "Replaces the records, the `ttl` or the note of a recordset in place; its name and type stay. Resolvers may " +
          "show the old records until their `ttl` is over. Read-only recordsets are a 409. It may be repeated."
      )
    ),
    HttpApiEndpoint.delete("removeRecordset", `${zone}/recordsets/:recordset_id`, {
      params: recordsetId,
      success: RecordsetRow.pipe(HttpApiSchema.status(202)),
      error: failures(...ofWrites, "recordset_not_found", "recordset_read_only")
    }).annotateMerge(
      described(
        "Delete a recordset",
        "Deletes all records of the recordset. The response comes before the name servers have removed them; until " +
          "then its name and type stay taken. Read-only recordsets are a 409."
      )
    ),
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
    })
      .annotateMerge(
        described(
          "Import a zone file",
          "Compares a zone file with the zone and, with `dry_run` false, adds and changes the recordsets that " +
            "differ. **Without `dry_run` it only reports.** With `prune` it also deletes the recordsets that the " +
            "file lacks, which needs tier 2 unless it is a dry run.\n\n" +
            "- Recordsets are compared by meaning: order, spelling and a `ttl` equal to the zone's make no " +
            "difference.\n" +
            "- Invalid lines are a 422 that names at most 100 of them; then, and when the limits of the DNS " +
            "service would be passed, nothing is changed.\n" +
            "- One import of a zone runs at a time, for 45 seconds at most. One that stops half way is a 502 " +
            "(`zone_import_failed`) whose `applied` lists the completed changes; send it again to continue."
        )
      )
      .annotate(DestroysWith, { flag: "prune", unless: "dry_run" }),
    HttpApiEndpoint.get("delegation", `${zone}/delegation`, {
      params: zoneId,
      success: Delegation,
      error: failures("dns_zone_not_found", "service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Check a DNS zone's delegation",
        "Asks the DNS now for the zone's name servers, and compares them with the platform's. A new delegation " +
          "shows once resolvers have forgotten the old one, which can take hours. A resolver that does not answer " +
          "is a 502, never `absent`."
      )
    )
  )
  .middleware(TenantScoped)
  .annotateMerge(
    titled(
      "DNS",
      "DNS zones and their records, served by the platform's name servers. A zone is a domain name with the records " +
        "at and below it; a recordset is all records of one name and one type. These operations write records of " +
        "the types A, AAAA, CNAME, TXT and MX; all other types can be written under `/v1/iaas/dns`. On a cloud " +
        "without DNS every operation is a 404 (`service_not_found`)."
    )
  )
  .pipe(callerRoutes) {}
