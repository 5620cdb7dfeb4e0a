import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { described, meanings, titled } from "./describe.ts"
import { Event, TenantTopic } from "./Events.ts"
import { failures, throttledFor } from "./Failures.ts"
import { callerRoutes } from "./groups.ts"
import { logCursors, logFields, pageQuery } from "./Page.ts"
import { PointInTime } from "./PointInTime.ts"

const { of: eventCursorOf, sequenceOf: eventSequenceOf, Cursor } = logCursors("events")
export { eventCursorOf, eventSequenceOf }

const Kind = Schema.String.check(
  Schema.isMaxLength(100),
  Schema.isPattern(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/, { expected: "a kind such as volume.create" })
).annotate({ description: "A kind of event, such as `volume.create`." })

const someOf = <S extends Schema.Constraint>(item: S) =>
  Schema.optionalKey(Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(20)))

const filters = {
  project_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(500))).annotateKey({
    description:
      "The project whose events are read. For platform administrators; a tenant always reads its own, and any other project is a 404."
  }),
  topic: someOf(TenantTopic).annotateKey({
    description:
      "Only events of these topics, 1 to 20; the parameter is repeated for each. Absent means all that the caller may read."
  }),
  kind: someOf(Kind).annotateKey({
    description: "Only events of these kinds, 1 to 20; the parameter is repeated for each. Absent means all."
  })
}

const place =
  "The `next_cursor` or `last_cursor` of an earlier page, or the `id` of an event of a stream: reading starts after it."

const filtersSchema = Schema.Struct(filters)

/** The filters of a request. */
export type EventFilters = typeof filtersSchema.Type

export const EventPage = Schema.Struct({
  events: Schema.Array(Event).annotateKey({ description: "The events of this page, in the requested order." }),
  ...logFields
}).annotate({ identifier: "EventPage", description: "A page of events." })
export type EventPage = typeof EventPage.Type

/** The bounds of `timeout_seconds`. */
export const streamSeconds = { least: 0, most: 86_400 } as const

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
        since: Schema.optionalKey(PointInTime).annotateKey({
          description: "Only events at or after this moment, RFC 3339 with a zone."
        }),
        until: Schema.optionalKey(PointInTime).annotateKey({
          description: "Only events before this moment, RFC 3339 with a zone."
        }),
        order: meanings("The order of the events; `asc` when absent.", {
          asc: "Oldest first.",
          desc: "Newest first."
        }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("asc" as const))),
        limit: pageQuery.limit,
        cursor: Schema.optionalKey(Cursor).annotateKey({ description: place })
      },
      success: EventPage,
      error: failures("billing_access_required", "tenant_not_found", "tenant_required")
    }).annotateMerge(
      described(
        "List events",
        "Returns a page of the tenant's events of the last 30 days, in the order in which the gateway recorded them. A page looks at 5,000 events at most, so with filters it may be short or empty and still have a `next_cursor`; only null is the end. To read on later, send the `last_cursor` with `order=asc`: each event comes once. Events of the topic `billing.budgets` are for callers with billing access; `GET /v1/audit` has the calls."
      )
    ),
    HttpApiEndpoint.get("tail", "/events/tail", {
      query: {
        ...filters,
        cursor: Schema.optionalKey(Cursor).annotateKey({
          description: `${place} Without it, and without \`Last-Event-ID\`, the stream begins with the events from now on.`
        }),
        timeout_seconds: Schema.optionalKey(
          Schema.NumberFromString.check(
            Schema.isInt({ expected: "a whole number" }),
            Schema.isBetween({ minimum: streamSeconds.least, maximum: streamSeconds.most })
          )
        ).annotateKey({
          description:
            "The stream ends after this many seconds, 0 to 86400; with 0, as soon as all present events are " +
            "sent. Absent means that it stays open."
        })
      },
      headers: {
        "last-event-id": Schema.optionalKey(Cursor).annotateKey({
          description:
            "The `id` of the last event that the client got; it takes precedence over `cursor`. Browsers send it when they reconnect."
        })
      },
      success: HttpApiSchema.StreamSse({ data: Event }),
      error: [
        ...failures("billing_access_required", "tenant_not_found", "tenant_required"),
        throttledFor(streamRetry, "event_streams_exhausted", "event_streams_full")
      ]
    }).annotateMerge(
      described(
        "Stream events",
        "Sends the tenant's events as they happen, as server-sent events (`text/event-stream`). Each `id` of the stream is a cursor: a client that comes back with it in `Last-Event-ID` misses nothing and gets nothing twice. The stream sends a comment after 15 seconds without an event. It ends with a comment when the credential loses its rights, and when the gateway stops. A tenant may have 20 streams open on each replica of the gateway, by default; one more is a 429 with `Retry-After`."
      )
    )
  )
  .annotateMerge(
    titled(
      "Events",
      "Events of a tenant. An event says, for example, that a volume was created, an alarm changed its state or " +
        "a credential was revoked. Every event has a topic, a kind within it, and an `id` that stays the same when " +
        "the event arrives again. The gateway keeps events for 30 days, in one order. Read them here as pages or " +
        "as a stream, or have them sent by webhooks and integrations."
    )
  )
  .pipe(callerRoutes) {}
