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
