import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema, type Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { advisoryLock, atOnce, countOf, moment, rowsOf, storedJson } from "./rows.ts"

export const EventRow = Schema.Struct({
  /** Larger than the sequence of every event that was readable before. The sequence has gaps. */
  sequence: Schema.Int,
  /** A UUID, chosen by the publisher. */
  id: Schema.String,
  topic: Schema.String,
  /** The ordering key, such as a resource's id. */
  key: Schema.String,
  at: moment,
  /** The event as it goes over the wire. */
  envelope: storedJson
})
export type EventRow = typeof EventRow.Type

export type NewEvent = Omit<EventRow, "sequence">

/** The filter and the start of a page of the log. */
export interface Reading {
  readonly topics: ReadonlyArray<string>
  /** Only events of this project; undefined for all events, including those without a project. */
  readonly projectId: string | undefined
  /** `asc` for the oldest first. */
  readonly order: "asc" | "desc"
  /** Behind this sequence in that order; undefined for the beginning. */
  readonly after: number | undefined
  readonly limit: number
}

/** The position of a time range in a topic's sequence. */
export interface EventWindow {
  /** The largest readable sequence of the topic; 0 without an event. */
  readonly newest: number
  /** The sequence of the last event before `from`; 0 without one. */
  readonly above: number
  /** The sequence of the first event at or after `to`; undefined without one. */
  readonly below: number | undefined
}

/** The notification channel for appends. */
const channel = "portico_events"

/** An append-only log of events on topics. Readers remember the last sequence that they have seen. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * Appends all events in this order, or none. An id that is already in the
     * log is skipped, so that an append whose answer was lost can be repeated.
     * Appends are serialised across all replicas: gather events, and append
     * from one fiber.
     */
    append(events: ReadonlyArray<NewEvent>): Effect.Effect<void>
    /**
     * At most `limit` events after this sequence, in order; 0 begins at the
     * oldest. An event that is appended later never sorts before what was read
     * here.
     */
    page(topic: string, after: number, limit: number): Effect.Effect<ReadonlyArray<EventRow>>
    /**
     * A page of several topics in one order. Its cost depends neither on the
     * length of the log nor on other projects' events.
     */
    read(reading: Reading): Effect.Effect<ReadonlyArray<EventRow>>
    /** At most `limit` events of all topics after this sequence, in order. */
    since(after: number, limit: number): Effect.Effect<ReadonlyArray<EventRow>>
    /** Those of these ids that are in the log, in lower case. */
    known(ids: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>>
    /** The largest readable sequence; 0 when the log is empty. */
    readonly last: Effect.Effect<number>
    /**
     * Emits when this process or another has appended, from the moment the
     * outer effect completes. The stream fails when it may have missed an
     * append.
     */
    readonly arrivals: Effect.Effect<Stream.Stream<void, unknown>, never, Scope.Scope>
    /** The largest readable sequence of these topics; 0 when they have no event. */
    newest(topics: ReadonlyArray<string>): Effect.Effect<number>
    /**
     * Maps a time range to sequences of a topic, which is in the order of
     * arrival. A caller that knows how late an event may arrive reads nothing
     * outside the window, however long the log is.
     */
    window(
      topic: string,
      time: { readonly from: DateTime.Utc | undefined; readonly to: DateTime.Utc | undefined }
    ): Effect.Effect<EventWindow>
    /** Every topic that has an event. */
    readonly topics: Effect.Effect<ReadonlyArray<string>>
    /**
     * Deletes at most {@link atOnce} events of a topic from before that moment, and only
     * up to the sequence `upTo` when it is given. Returns how many it deleted.
     */
    prune(topic: string, before: DateTime.Utc, upTo?: number): Effect.Effect<number>
  }
>()("portico/store/EventLog") {
  static readonly layer = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient
      const { rows } = rowsOf(EventRow)

      // A sequence number is drawn long before its row becomes visible. With two parallel appends the later number
      // could be committed first, and a reader that has passed it would never see the earlier one. So numbers are drawn
      // under a lock that only the commit releases: PostgreSQL releases it after the rows have become visible. Numbers
      // are drawn after the sort, and the sort comes after the lock. Listeners receive the notification after the
      // commit, too. It is one statement with text arrays, because every write of the gateway passes here.
      const insert = (events: ReadonlyArray<NewEvent>) => {
        const all = events.map(stored)
        return sql`
          WITH locked AS MATERIALIZED (
            SELECT ${advisoryLock(sql, "portico/events")}, pg_notify(${channel}, '')
          )
          INSERT INTO events (id, topic, key, at, envelope)
          SELECT id, topic, key, at, envelope
          FROM locked, unnest(
            ${all.map((_) => _.id)}::uuid[], ${all.map((_) => _.topic)}::text[], ${all.map((_) => _.key)}::text[],
            ${all.map((_) => DateTime.formatIso(_.at))}::timestamptz[],
            ${all.map((_) => _.envelope)}::jsonb[]
          ) WITH ORDINALITY AS given (id, topic, key, at, envelope, place)
          ORDER BY place
          ON CONFLICT (id) DO NOTHING`
      }

      return EventLog.of({
        append: (events) => (events.length === 0 ? Effect.void : Effect.asVoid(Effect.orDie(insert(events)))),
        page: (topic, after, limit) =>
          rows(sql`
            SELECT sequence::float8 AS sequence, id, topic, key, at, envelope FROM events
            WHERE topic = ${topic} AND sequence > ${after}::float8::bigint ORDER BY events.sequence LIMIT ${limit}`),
        read: ({ after, limit, order, projectId, topics }) => {
          const sorted = order === "asc" ? sql`ORDER BY sequence` : sql`ORDER BY sequence DESC`
          const beyond = order === "asc" ? sql`>` : sql`<`
          // One index scan per topic: a topic outside the filter may have any number of rows in between.
          return rows(sql`
            SELECT sequence::float8 AS sequence, id, topic, key, at, envelope
            FROM unnest(${topics}::text[]) AS asked (name), LATERAL (
              SELECT * FROM events
              WHERE topic = asked.name
                ${projectId === undefined ? sql`` : sql`AND project_id = ${projectId}`}
                ${after === undefined ? sql`` : sql`AND sequence ${beyond} ${after}::float8::bigint`}
              ${sorted} LIMIT ${limit}
            ) AS event
            ORDER BY event.sequence ${order === "asc" ? sql`` : sql`DESC`} LIMIT ${limit}`)
        },
        since: (after, limit) =>
          rows(sql`
            SELECT sequence::float8 AS sequence, id, topic, key, at, envelope FROM events
            WHERE sequence > ${after}::float8::bigint ORDER BY events.sequence LIMIT ${limit}`),
        known: (ids) =>
          ids.length === 0
            ? Effect.succeed(new Set())
            : Effect.map(
                Effect.orDie(sql<{ id: string }>`SELECT id FROM events WHERE id = ANY(${ids}::uuid[])`),
                (_) => new Set(_.map(({ id }) => id))
              ),
        last: Effect.map(
          Effect.orDie(sql<{ sequence: number | null }>`SELECT max(sequence)::float8 AS sequence FROM events`),
          (_) => _[0]?.sequence ?? 0
        ),
        arrivals: Effect.map(Effect.orDie(pg.listen(channel)), (queue) =>
          Stream.map(Stream.fromQueue(queue), () => undefined)
        ),
        newest: (topics) =>
          Effect.map(
            Effect.orDie(sql<{ sequence: number | null }>`
              SELECT max(newest)::float8 AS sequence FROM unnest(${topics}::text[]) AS asked (name), LATERAL (
                SELECT max(sequence) AS newest FROM events WHERE topic = asked.name
              ) AS event`),
            (_) => _[0]?.sequence ?? 0
          ),
        // Three index lookups in one statement.
        window: (topic, { from, to }) => {
          const before =
            from === undefined
              ? sql`NULL::float8`
              : sql`(SELECT sequence::float8 FROM events WHERE topic = ${topic} AND at < ${DateTime.toDateUtc(from)}
                     ORDER BY at DESC LIMIT 1)`
          const behind =
            to === undefined
              ? sql`NULL::float8`
              : sql`(SELECT sequence::float8 FROM events WHERE topic = ${topic} AND at >= ${DateTime.toDateUtc(to)}
                     ORDER BY at LIMIT 1)`
          return Effect.map(
            Effect.orDie(sql<{ newest: number | null; above: number | null; below: number | null }>`
              SELECT (SELECT max(sequence)::float8 FROM events WHERE topic = ${topic}) AS newest,
                ${before} AS above, ${behind} AS below`),
            ([row]) => ({ newest: row?.newest ?? 0, above: row?.above ?? 0, below: row?.below ?? undefined })
          )
        },
        // A loose index scan: one lookup per topic, however many events each has.
        topics: Effect.map(
          Effect.orDie(sql<{ topic: string }>`
            WITH RECURSIVE found AS (
              (SELECT topic FROM events ORDER BY topic LIMIT 1)
              UNION ALL
              SELECT (SELECT topic FROM events WHERE topic > found.topic ORDER BY topic LIMIT 1) FROM found
              WHERE found.topic IS NOT NULL)
            SELECT topic FROM found WHERE topic IS NOT NULL`),
          (_) => _.map(({ topic }) => topic)
        ),
        prune: (topic, before, upTo) =>
          countOf(sql`
            WITH old AS (
              DELETE FROM events WHERE id IN (
                SELECT id FROM events WHERE topic = ${topic} AND at < ${DateTime.toDateUtc(before)}
                  ${upTo === undefined ? sql`` : sql`AND sequence <= ${upTo}::float8::bigint`}
                LIMIT ${atOnce}) RETURNING id)
            SELECT count(*)::int AS count FROM old`)
      })
    })
  )
}

/** An event with its envelope as text. */
const stored = (event: NewEvent) => {
  const envelope = JSON.stringify(event.envelope)
  // JSON escapes exactly the characters that have to go, and the key is part of the envelope or an id.
  if (!unstorable.test(envelope) && text(event.key) === event.key) return { ...event, envelope }
  const cleaned = storable(event)
  return { ...cleaned, envelope: JSON.stringify(cleaned.envelope) }
}

/** The escapes of NUL and of lone surrogates in JSON. */
const unstorable = /\\u(?:0000|d[89a-f])/i

/** PostgreSQL text holds neither NUL nor a lone surrogate. One such character would block every event behind it. */
export const storable = (event: NewEvent): NewEvent => ({
  ...event,
  key: text(event.key),
  envelope: Object.fromEntries(Object.entries(event.envelope).map(([name, value]) => [text(name), cleaned(value)]))
})

const text = (given: string): string => given.toWellFormed().replaceAll("\0", "\uFFFD")

const cleaned = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return text(value)
  if (typeof value !== "object" || value === null) return value
  return isList(value)
    ? value.map(cleaned)
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [text(name), cleaned(inner)]))
}

const isList = (value: Schema.JsonArray | Schema.JsonObject): value is Schema.JsonArray => Array.isArray(value)
