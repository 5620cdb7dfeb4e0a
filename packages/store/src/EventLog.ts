import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Memory } from "./Memory.ts"
import { moment, rowsOf } from "./rows.ts"

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
  envelope: Schema.JsonObject
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
    /** The largest sequence of these topics that can be read; 0 without one. */
    newest(topics: ReadonlyArray<string>): Effect.Effect<number>
    /** Forgets a topic's events from before that moment; how many they were. */
    prune(topic: string, before: DateTime.Utc): Effect.Effect<number>
  }
>()("portico/store/EventLog") {
  static readonly layer = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { rows } = rowsOf(EventRow)

      const insert = (events: ReadonlyArray<NewEvent>) => sql`
        INSERT INTO events (id, topic, key, at, envelope)
        SELECT (event->>'id')::uuid, event->>'topic', event->>'key', (event->>'at')::timestamptz, event->'envelope'
        FROM jsonb_array_elements(${json(events.map(asJson))}) WITH ORDINALITY AS given (event, place)
        ORDER BY place
        ON CONFLICT (id) DO NOTHING`

      return EventLog.of({
        append: (events) =>
          events.length === 0
            ? Effect.void
            : Effect.orDie(
                sql.withTransaction(
                  // A sequence number is drawn long before its row can be seen. Were two appends at work at once,
                  // the later number could be committed first, and a reader that has passed it would never see the
                  // earlier one. So numbers are drawn under a lock that only the commit lets go of: PostgreSQL
                  // releases it after the rows have become visible.
                  Effect.andThen(sql`SELECT pg_advisory_xact_lock(hashtext('portico/events'))`, insert(events))
                )
              ).pipe(Effect.asVoid),
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
        newest: (topics) =>
          Effect.map(
            Effect.orDie(sql<{ sequence: number | null }>`
              SELECT max(newest)::float8 AS sequence FROM unnest(${topics}::text[]) AS asked (name), LATERAL (
                SELECT max(sequence) AS newest FROM events WHERE topic = asked.name
              ) AS event`),
            (_) => _[0]?.sequence ?? 0
          ),
        prune: (topic, before) =>
          Effect.map(
            Effect.orDie(sql<{ count: number }>`
              WITH old AS (DELETE FROM events WHERE topic = ${topic} AND at < ${DateTime.toDateUtc(before)} RETURNING id)
              SELECT count(*)::int AS count FROM old`),
            (_) => _[0]?.count ?? 0
          )
      })
    })
  )

  static readonly layerMemory = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const { events: log } = yield* Memory
      let sequence = 0

      return EventLog.of({
        append: (events) =>
          Effect.sync(() => {
            for (const event of events.map(storable)) {
              if (!log.has(event.id)) log.set(event.id, { ...event, sequence: ++sequence })
            }
          }),
        page: (topic, after, limit) =>
          Effect.sync(() =>
            [...log.values()].filter((_) => _.topic === topic && _.sequence > after).slice(0, Math.max(0, limit))
          ),
        read: ({ after, limit, order, projectId, topics }) =>
          Effect.sync(() => {
            const all = [...log.values()].filter(
              (_) => topics.includes(_.topic) && (projectId === undefined || _.envelope["project_id"] === projectId)
            )
            const sorted = order === "asc" ? all : all.toReversed()
            const beyond = (sequence: number) =>
              after === undefined || (order === "asc" ? sequence > after : sequence < after)
            return sorted.filter((_) => beyond(_.sequence)).slice(0, Math.max(0, limit))
          }),
        newest: (topics) =>
          Effect.sync(() =>
            Math.max(0, ...[...log.values()].filter((_) => topics.includes(_.topic)).map((_) => _.sequence))
          ),
        prune: (topic, before) =>
          Effect.sync(() => {
            const old = [...log.values()].filter((_) => _.topic === topic && DateTime.isLessThan(_.at, before))
            for (const { id } of old) log.delete(id)
            return old.length
          })
      })
    })
  )
}

const asJson = (event: NewEvent) => ({ ...storable(event), at: DateTime.formatIso(event.at) })

/** PostgreSQL holds neither NUL nor half a surrogate pair; one such letter would keep back everything behind it. */
const storable = (event: NewEvent): NewEvent => ({
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
