import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { described, meanings, titled } from "./describe.ts"
import { Actor, AgentActionEvent, AuditData, AuditEvent } from "./Events.ts"
import { failures, throttledFor } from "./Failures.ts"
import { callerRoutes } from "./groups.ts"
import { logCursors, logFields, pageQuery } from "./Page.ts"
import { PointInTime } from "./PointInTime.ts"

export const AuditRecord = Schema.Struct({
  id: Schema.String.annotateKey({
    description: "The id of the record, a UUID. A call has the same one on every route and topic."
  }),
  at: Schema.String.annotateKey({ description: "When the call completed, RFC 3339, UTC." }),
  project_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The caller's project. Null for a platform administrator and for an unknown caller."
  }),
  ...AuditData.fields,
  method: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The HTTP method of the call; of a tool call, that of the API operation behind the tool, and null when the " +
      "tool has no operation."
  }),
  route: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The path with `:name` for every id in it, such as `/v1/credentials/:credential_id`. Null for an unknown path, and for a tool without an API operation."
  }),
  status: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The HTTP status of the response; 101 when the connection switched protocols. Null when the client did not wait for the response, and when a tool made no API call or its answer is not known."
  }),
  parameters: Schema.Array(Schema.String).annotateKey({
    description: "The names of the query parameters, or of a tool's arguments, never their values, at most 50."
  }),
  actor: Actor,
  tool: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The tool that an agent called. Null for a call of the API. A write that the tool called on the API has a " +
      "record of its own, with the same `request_id`."
  })
}).annotate({
  identifier: "AuditRecord",
  description: "A completed call of the API or of an agent's tool. It has names, and never their values."
})
export type AuditRecord = typeof AuditRecord.Type

export const AuditSource = meanings("Where the records come from. Their contents are the same.", {
  ring: "The memory of the replica that answered, which had all of them.",
  durable: "The stored log."
})
export type AuditSource = typeof AuditSource.Type

export const AuditPage = Schema.Struct({
  source: AuditSource,
  records: Schema.Array(AuditRecord).annotateKey({ description: "The records of this page, in the requested order." }),
  ...logFields
}).annotate({ identifier: "AuditPage", description: "A page of audit records." })
export type AuditPage = typeof AuditPage.Type

const lineCursor = {
  cursor: Schema.String.annotateKey({ description: "The `cursor` of an export that continues after this line." })
}

export const AuditLine = Schema.Struct({ ...AuditEvent.fields, ...lineCursor }).annotate({
  identifier: "AuditLine",
  description: "A line of an export: a completed call as an event."
})
export type AuditLine = typeof AuditLine.Type

export const AgentActionLine = Schema.Struct({ ...AgentActionEvent.fields, ...lineCursor }).annotate({
  identifier: "AgentActionLine",
  description: "A line of an export: a tool call of an agent as an event."
})
export type AgentActionLine = typeof AgentActionLine.Type

export const AuditEnd = Schema.Struct({
  end: Schema.Literal(true).annotateKey({ description: "True, which distinguishes this line from the others." }),
  complete: Schema.Boolean.annotateKey({
    description:
      "Whether the export has everything that was asked for. False if it ended early, and continues from `cursor`."
  }),
  count: Schema.Int.annotateKey({ description: "The number of records before this line." }),
  cursor: Schema.String.annotateKey({
    description: "The export read everything up to here. A later export with this `cursor` has the records after it."
  })
}).annotate({
  identifier: "AuditEnd",
  description: "The last line of an export. An export without it was cut off."
})
export type AuditEnd = typeof AuditEnd.Type

const { of: auditCursorOf, sequenceOf: auditSequenceOf, Cursor } = logCursors("audit")
export { auditCursorOf, auditSequenceOf }

const Name = Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500)))

const filters = {
  project_id: Name.annotateKey({
    description:
      "Only calls of this project, which may be gone by now. For platform administrators; a tenant always reads its own, and any other project is a 404."
  }),
  since: Schema.optionalKey(PointInTime).annotateKey({
    description: "Only calls at or after this moment, RFC 3339 with a zone."
  }),
  until: Schema.optionalKey(PointInTime).annotateKey({
    description: "Only calls before this moment, RFC 3339 with a zone."
  }),
  credential_id: Name.annotateKey({ description: "Only calls with this credential or membership." }),
  user_id: Name.annotateKey({ description: "Only calls of this user id of the identity provider." }),
  actor: Schema.optionalKey(Actor).annotateKey({
    description: "Only calls of such callers: `agent` for calls of agents, those of their tools included."
  }),
  method: Schema.optionalKey(
    meanings("Only calls with this method.", {
      POST: "Creations and actions.",
      PUT: "Replacements.",
      PATCH: "Changes.",
      DELETE: "Deletions.",
      GET: "Reads, of which only those are recorded whose response holds a secret, or that an agent made by a tool."
    })
  ),
  route: Name.annotateKey({
    description: "Only calls of this route, as the records have it: `/v1/credentials/:credential_id`."
  }),
  status: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[1-5](\d\d|xx)$/, { expected: "a status such as 201, or a class such as 4xx" })
    )
  ).annotateKey({ description: "Only calls with this status, such as `201`, or of this class, such as `4xx`." }),
  resource: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1024))).annotateKey({
    description: "Only calls with this id or name in their path."
  }),
  request_id: Name.annotateKey({ description: "Only the call whose response had this `X-Request-Id`." })
}

const place =
  "The `next_cursor` or `last_cursor` of an earlier page, or the `cursor` of a line of an export: reading starts after it."

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
        order: meanings("The order of the records; `desc` when absent.", {
          asc: "Oldest first.",
          desc: "Newest first."
        }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("desc" as const))),
        limit: pageQuery.limit,
        cursor: Schema.optionalKey(Cursor).annotateKey({ description: place })
      },
      success: AuditPage,
      error: failures("tenant_not_found", "tenant_required")
    }).annotateMerge(
      described(
        "List audit records",
        "Returns a page of the calls of the tenant's credentials and members in the last 30 days, in the order " +
          "in which they ended. It has all writes, refused and failed ones too, reads whose response holds a " +
          "secret, and all calls of agents' tools. A page looks at 5,000 records at most, so with filters it may " +
          "be short or empty and still have a `next_cursor`; only null is the end."
      )
    ),
    HttpApiEndpoint.get("export", "/audit/export", {
      query: { ...filters, cursor: Schema.optionalKey(Cursor).annotateKey({ description: place }) },
      success: HttpApiSchema.StreamNdjson({ schema: Schema.Union([AuditLine, AgentActionLine, AuditEnd]) }),
      error: [
        ...failures("tenant_not_found", "tenant_required"),
        throttledFor(exportRetry, "audit_exports_exhausted", "audit_exports_full")
      ]
    }).annotateMerge(
      described(
        "Export the audit",
        "Sends all records that fit the filters, oldest first, as `application/x-ndjson`: one record a line, " +
          "each with a `cursor`. The export has the records that existed when it began, and its last line has " +
          "`end`. A response without that line was cut off: continue after the `cursor` of the last whole line. " +
          "`complete: false` in it says that the export ended early, after five minutes, because the gateway " +
          "stops, or because the credential lost its rights. To collect new records, keep the last `cursor` and " +
          "export again from it within 30 days. By default a tenant may have two exports at once on each replica " +
          "of the gateway; one more is a 429 with `Retry-After`."
      )
    )
  )
  .annotateMerge(
    titled(
      "Audit",
      "The calls of the API, each with its caller, source and result. The audit has a record of every write " +
        "(POST, PUT, PATCH and DELETE) on the API, whether it succeeded, failed or was refused, of reads whose " +
        "response holds a secret, and of every tool that an agent called. A record has names of parameters and " +
        "fields and never their values. The gateway keeps records for 30 days."
    )
  )
  .pipe(callerRoutes) {}
