import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema, type Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { moment, rowsOf, storedJson } from "./rows.ts"

export const EventRow = Schema.Struct({
  /** Larger than that of every event that could be read before. Some numbers are never used. */
  sequence: Schema.Int,
  /** A UUID, made by whoever publishes. */
  id: Schema.String,
  topic: Schema.String,
  /** What the order matters for, such as a resource's id. */
  key: Schema.String,
  at: moment,
  /** The event as it goes over the wire. */
  envelope: storedJson
})
export type EventRow = typeof EventRow.Type

export type NewEvent = Omit<EventRow, "sequence">

/** Which events a page of the log has, and where it begins. */
export interface Reading {
  readonly topics: ReadonlyArray<string>
  /** Of this project alone; undefined for everybody's, and what is nobody's. */
  readonly projectId: string | undefined
  /** `asc` for the oldest first. */
  readonly order: "asc" | "desc"
  /** Behind this sequence, in that order; undefined for its beginning. */
  readonly after: number | undefined
  readonly limit: number
}

/** Where the database says that something was appended. */
const channel = "portico_events"

/** An append-only log of events on topics. Readers remember the last sequence that they have seen. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * All of them in this order, or none. An id that is in the log already is
     * passed over, so that an append whose answer was lost can be repeated.
     * One append waits for another, across all replicas: gather events, and
     * append from one fiber.
     */
    append(events: ReadonlyArray<NewEvent>): Effect.Effect<void>
    /**
     * At most so many events after this sequence, in order; 0 begins at the
     * oldest. What is appended later never sorts before what was read here.
     */
    page(topic: string, after: number, limit: number): Effect.Effect<ReadonlyArray<EventRow>>
    /** A page of several topics, in one order; it costs the same however long the log is, and whatever others have in it. */
    read(reading: Reading): Effect.Effect<ReadonlyArray<EventRow>>
    /** At most so many events of all topics after this sequence, in order. */
    since(after: number, limit: number): Effect.Effect<ReadonlyArray<EventRow>>
    /** The largest sequence that can be read; 0 without one. */
    readonly last: Effect.Effect<number>
    /**
     * Says that something was appended, by this process or any other, from the
     * moment on that the outer effect is done. The stream fails when it may
     * have missed that.
     */
    readonly arrivals: Effect.Effect<Stream.Stream<void, unknown>, never, Scope.Scope>
    /** The largest sequence of these topics that can be read; 0 without one. */
    newest(topics: ReadonlyArray<string>): Effect.Effect<number>
    /** Every topic that has an event. */
    readonly topics: Effect.Effect<ReadonlyArray<string>>
    /** Forgets a topic's events from before that moment, and where `upTo` is given up to that sequence; how many they were. */
    prune(topic: string, before: DateTime.Utc, upTo?: number): Effect.Effect<number>
  }
>()("portico/store/EventLog") {
  static readonly layer = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient
      const { rows } = rowsOf(EventRow)

      // A sequence number is drawn long before its row can be seen. Were two appends at work at once, the later number
      // could be committed first, and a reader that has passed it would never see the earlier one. So numbers are drawn
      // under a lock that only the commit lets go of: PostgreSQL releases it after the rows have become visible. They
      // are drawn behind the sorting, and that comes behind the lock. What is said on the channel is heard after the
      // commit, too. All of it is one statement, and arrays of texts: every write of the gateway passes here.
      const insert = (events: ReadonlyArray<NewEvent>) => {
        const all = events.map(storable)
        return sql`
          WITH locked AS MATERIALIZED (
            SELECT pg_advisory_xact_lock(hashtext('portico/events')), pg_notify(${channel}, '')
          )
          INSERT INTO events (id, topic, key, at, envelope)
          SELECT id, topic, key, at, envelope
          FROM locked, unnest(
            ${all.map((_) => _.id)}::uuid[], ${all.map((_) => _.topic)}::text[], ${all.map((_) => _.key)}::text[],
            ${all.map((_) => DateTime.formatIso(_.at))}::timestamptz[],
            ${all.map((_) => JSON.stringify(_.envelope))}::jsonb[]
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
          // Topic by topic, each along its index: a topic that is not asked for may have any number of rows in between.
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
        // From one to the next along the index, past however many events each of them has.
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
          Effect.map(
            Effect.orDie(sql<{ count: number }>`
              WITH old AS (
                DELETE FROM events WHERE topic = ${topic} AND at < ${DateTime.toDateUtc(before)}
                  ${upTo === undefined ? sql`` : sql`AND sequence <= ${upTo}::float8::bigint`}
                RETURNING id)
              SELECT count(*)::int AS count FROM old`),
            (_) => _[0]?.count ?? 0
          )
      })
    })
  )
}

/** PostgreSQL holds neither NUL nor half a surrogate pair; one such letter would keep back everything behind it. */
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
