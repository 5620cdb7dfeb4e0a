import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, Validated, WellFormed } from "./Access.ts"
import { AuditData, AuditEvent } from "./Events.ts"
import { failures, throttledFor } from "./Failures.ts"
import { pageQuery } from "./Page.ts"
import { PointInTime } from "./PointInTime.ts"

/** A completed call as the audit stores it. */
export const AuditRecord = Schema.Struct({
  /** The envelope's id: one call has one id wherever it is read. */
  id: Schema.String,
  /** When the call completed, ISO 8601 in UTC. */
  at: Schema.String,
  /** The caller's project; null for a platform administrator, and for an unknown caller. */
  project_id: Schema.NullOr(Schema.String),
  ...AuditData.fields
}).annotate({ identifier: "AuditRecord" })
export type AuditRecord = typeof AuditRecord.Type

/**
 * `ring`: from this process's memory, which provably had the whole answer.
 * `durable`: from the log. The contents are the same.
 */
export const AuditSource = Schema.Literals(["ring", "durable"])
export type AuditSource = typeof AuditSource.Type

export const AuditPage = Schema.Struct({
  source: AuditSource,
  records: Schema.Array(AuditRecord),
  /** Null on the last page. An earlier page may have fewer records than requested, or none. */
  next_cursor: Schema.NullOr(Schema.String),
  /**
   * The end of this page, whether or not there is more: reading on from it,
   * oldest first, returns what is recorded later. On an empty page it is the
   * request's own cursor, or null when the request had none.
   */
  last_cursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AuditPage" })
export type AuditPage = typeof AuditPage.Type

/** A line of an export: the event, and the cursor that continues after it. */
export const AuditLine = Schema.Struct({ ...AuditEvent.fields, cursor: Schema.String }).annotate({
  identifier: "AuditLine"
})
export type AuditLine = typeof AuditLine.Type

/** The last line of an export. An export without it was cut off. */
export const AuditEnd = Schema.Struct({
  end: Schema.Literal(true),
  /** Whether the whole window was read. Otherwise the export ended early, and continues from the cursor. */
  complete: Schema.Boolean,
  /** The number of records before this line. */
  count: Schema.Int,
  /** Everything up to this cursor was read. Later records come after it. */
  cursor: Schema.String
}).annotate({ identifier: "AuditEnd" })
export type AuditEnd = typeof AuditEnd.Type

const written = /^audit:(0|[1-9]\d{0,15})$/

/** The cursor after the event with this sequence. Clients pass it on unchanged. */
export const auditCursorOf = (sequence: number): string =>
  Buffer.from(`audit:${sequence}`, "utf8").toString("base64url")

/** The sequence that a cursor encodes; undefined for an invalid cursor. */
export const auditSequenceOf = (cursor: string): number | undefined => {
  const [, digits] = written.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? []
  const sequence = Number(digits)
  // Base64url decoding ignores unknown characters, so a cursor is valid only if encoding it again gives the same text.
  return digits !== undefined && Number.isSafeInteger(sequence) && auditCursorOf(sequence) === cursor
    ? sequence
    : undefined
}

const Cursor = Schema.String.check(
  Schema.makeFilter((cursor: string) => auditSequenceOf(cursor) !== undefined, {
    expected: "the cursor of an earlier answer"
  })
)

const Name = Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500)))

const filters = {
  /** For platform administrators; a tenant always reads its own. */
  project_id: Name,
  /** At or after. */
  since: Schema.optionalKey(PointInTime),
  /** Before. */
  until: Schema.optionalKey(PointInTime),
  credential_id: Name,
  user_id: Name,
  method: Schema.optionalKey(Schema.Literals(["POST", "PUT", "PATCH", "DELETE", "GET"])),
  /** As in the records: `/v1/credentials/:credential_id`. */
  route: Name,
  /** One status, or a class such as `4xx`. */
  status: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[1-5](\d\d|xx)$/, { expected: "a status such as 201, or a class such as 4xx" })
    )
  ),
  /** One of the ids in the path. */
  resource: Name,
  request_id: Name
}

const filtersSchema = Schema.Struct(filters)

/** The filters of a request; a record has to match all of them. */
export type AuditFilters = typeof filtersSchema.Type

/**
 * `Retry-After` in seconds for an export above the limit: every export ends
 * after five minutes, and most much earlier.
 */
const exportRetry = 30

/**
 * Both planes. A tenant reads the calls of its credentials and members; a
 * platform administrator, on the operator plane, reads all.
 */
export class AuditTrail extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: {
        ...filters,
        order: Schema.Literals(["asc", "desc"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("desc" as const))),
        limit: pageQuery.limit,
        cursor: Schema.optionalKey(Cursor)
      },
      success: AuditPage,
      error: failures("tenant_not_found", "tenant_required")
    }),
    HttpApiEndpoint.get("export", "/audit/export", {
      query: { ...filters, cursor: Schema.optionalKey(Cursor) },
      success: HttpApiSchema.StreamNdjson({ schema: Schema.Union([AuditLine, AuditEnd]) }),
      error: [
        ...failures("tenant_not_found", "tenant_required"),
        throttledFor(exportRetry, "audit_exports_exhausted", "audit_exports_full")
      ]
    })
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
