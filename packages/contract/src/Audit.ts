import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, Validated, WellFormed } from "./Access.ts"
import { AuditData, AuditEvent } from "./Events.ts"
import { failures, throttledFor } from "./Failures.ts"
import { pageQuery } from "./Page.ts"
import { PointInTime } from "./PointInTime.ts"

/** A call that is over, as the audit keeps it. */
export const AuditRecord = Schema.Struct({
  /** The envelope's: one call is one id, wherever it is read. */
  id: Schema.String,
  /** When it was over, ISO 8601 in UTC. */
  at: Schema.String,
  /** The caller's; null for a platform administrator, and for nobody known. */
  project_id: Schema.NullOr(Schema.String),
  ...AuditData.fields
}).annotate({ identifier: "AuditRecord" })
export type AuditRecord = typeof AuditRecord.Type

/** `ring`: from this process's memory, which provably had all of it. `durable`: from the log. They say the same. */
export const AuditSource = Schema.Literals(["ring", "durable"])
export type AuditSource = typeof AuditSource.Type

export const AuditPage = Schema.Struct({
  source: AuditSource,
  records: Schema.Array(AuditRecord),
  /** Null at the end. Before it a page may have fewer records than were asked for, or none. */
  next_cursor: Schema.NullOr(Schema.String),
  /**
   * Where this page ends, whether or not there is more: from the oldest on, what comes later is behind it. That of the
   * request when there was nothing; null when that had none.
   */
  last_cursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AuditPage" })
export type AuditPage = typeof AuditPage.Type

/** A line of an export: the event, and where to go on behind it. */
export const AuditLine = Schema.Struct({ ...AuditEvent.fields, cursor: Schema.String }).annotate({
  identifier: "AuditLine"
})
export type AuditLine = typeof AuditLine.Type

/** The last line of an export. What has none was cut off. */
export const AuditEnd = Schema.Struct({
  end: Schema.Literal(true),
  /** Whether the window was read to its end; else the export was ended early, and goes on behind the cursor. */
  complete: Schema.Boolean,
  /** How many records came before. */
  count: Schema.Int,
  /** Everything up to here was looked at. What is recorded later is behind it. */
  cursor: Schema.String
}).annotate({ identifier: "AuditEnd" })
export type AuditEnd = typeof AuditEnd.Type

const written = /^audit:(0|[1-9]\d{0,15})$/

/** The cursor behind an event of the log, whose sequence this is. Clients pass it on as it is. */
export const auditCursorOf = (sequence: number): string =>
  Buffer.from(`audit:${sequence}`, "utf8").toString("base64url")

/** The sequence that a cursor stands for; undefined for what is none. */
export const auditSequenceOf = (cursor: string): number | undefined => {
  const [, digits] = written.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? []
  const sequence = Number(digits)
  // Decoding passes over whatever it does not know; only what can be written again was written here.
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
  /** For platform administrators; a tenant's is its own. */
  project_id: Name,
  /** At or after. */
  since: Schema.optionalKey(PointInTime),
  /** Before. */
  until: Schema.optionalKey(PointInTime),
  credential_id: Name,
  user_id: Name,
  method: Schema.optionalKey(Schema.Literals(["POST", "PUT", "PATCH", "DELETE", "GET"])),
  /** As records have it: `/v1/credentials/:credential_id`. */
  route: Name,
  /** One status, or a class of them. */
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

/** What records have to fit: all that is there. */
export type AuditFilters = typeof filtersSchema.Type

/** Seconds after which an export that was one too many may be tried again: each has ended after five minutes, and most much earlier. */
const exportRetry = 30

/**
 * Both planes. A tenant reads what was done with its credentials and by its
 * members; a platform administrator, on the operator plane, all there is.
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
