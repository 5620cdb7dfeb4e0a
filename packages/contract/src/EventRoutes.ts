import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, Validated, WellFormed } from "./Access.ts"
import { Event, TenantTopic } from "./Events.ts"
import { failures, throttledFor } from "./Failures.ts"
import { pageQuery } from "./Page.ts"
import { PointInTime } from "./PointInTime.ts"

const written = /^events:(0|[1-9]\d{0,15})$/

/** The cursor after the event with this sequence. Clients pass it on unchanged. */
export const eventCursorOf = (sequence: number): string =>
  Buffer.from(`events:${sequence}`, "utf8").toString("base64url")

/** The sequence that a cursor encodes; undefined for an invalid cursor. */
export const eventSequenceOf = (cursor: string): number | undefined => {
  const [, digits] = written.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? []
  const sequence = Number(digits)
  // Base64url decoding ignores unknown characters, so a cursor is valid only if encoding it again gives the same text.
  return digits !== undefined && Number.isSafeInteger(sequence) && eventCursorOf(sequence) === cursor
    ? sequence
    : undefined
}

const Cursor = Schema.String.check(
  Schema.makeFilter((cursor: string) => eventSequenceOf(cursor) !== undefined, {
    expected: "the cursor of an earlier answer"
  })
)

/** Such as `volume.create`. */
const Kind = Schema.String.check(
  Schema.isMaxLength(100),
  Schema.isPattern(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/, { expected: "a kind such as volume.create" })
)

const someOf = <S extends Schema.Constraint>(item: S) =>
  Schema.optionalKey(Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(20)))

const filters = {
  /** For platform administrators; a tenant always reads its own. */
  project_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500))),
  /** The topics; default all that tenants may read. May be repeated, as `kind` may. */
  topic: someOf(TenantTopic),
  kind: someOf(Kind)
}

const filtersSchema = Schema.Struct(filters)

/** The filters of a request. */
export type EventFilters = typeof filtersSchema.Type

export const EventPage = Schema.Struct({
  events: Schema.Array(Event),
  /** Null on the last page. An earlier page may have fewer events than requested, or none. */
  next_cursor: Schema.NullOr(Schema.String),
  /**
   * The end of this page, whether or not there is more: reading on from it,
   * oldest first, returns what is recorded later. On an empty page it is the
   * request's own cursor, or null when the request had none.
   */
  last_cursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "EventPage" })
export type EventPage = typeof EventPage.Type

/** `Retry-After` in seconds for a stream above the limit: by then the streams of disconnected clients have ended. */
const streamRetry = 30

/**
 * Both planes. A tenant reads its own events; a platform administrator, on the
 * operator plane, reads those of all projects, or of the one that it names.
 */
export class Events extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/events", {
      query: {
        ...filters,
        /** At or after. */
        since: Schema.optionalKey(PointInTime),
        /** Before. */
        until: Schema.optionalKey(PointInTime),
        order: Schema.Literals(["asc", "desc"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("asc" as const))),
        limit: pageQuery.limit,
        cursor: Schema.optionalKey(Cursor)
      },
      success: EventPage,
      error: failures("billing_access_required", "tenant_not_found", "tenant_required")
    }),
    HttpApiEndpoint.get("tail", "/events/tail", {
      query: {
        ...filters,
        cursor: Schema.optionalKey(Cursor),
        /**
         * The stream ends after this many seconds, and with 0 when all present
         * events are sent. Without it, the stream goes on.
         */
        timeout_seconds: Schema.optionalKey(
          Schema.NumberFromString.check(
            Schema.isInt({ expected: "a whole number" }),
            Schema.isBetween({ minimum: 0, maximum: 86_400 })
          )
        )
      },
      headers: { "last-event-id": Schema.optionalKey(Cursor) },
      success: HttpApiSchema.StreamSse({ data: Event }),
      error: [
        ...failures("billing_access_required", "tenant_not_found", "tenant_required"),
        throttledFor(streamRetry, "event_streams_exhausted", "event_streams_full")
      ]
    })
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
