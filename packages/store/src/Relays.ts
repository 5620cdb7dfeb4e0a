import { Clock, Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { growingPause, leasedOf } from "./leased.ts"
import { Memory } from "./Memory.ts"
import { moment, momentsOf, rowsOf, run } from "./rows.ts"

export const RelayRow = Schema.Struct({
  topic: Schema.String,
  /** The sequence of the last event that has arrived on the other side; 0 before the first. */
  position: Schema.Int,
  lease: Schema.NullOr(Schema.String),
  lease_ends: moment,
  failures: Schema.Int
})
export type RelayRow = typeof RelayRow.Type

/** What of a topic has not arrived yet. */
export const Backlog = Schema.Struct({
  topic: Schema.String,
  /** At most {@link mostCounted}, which stands for that or more. */
  events: Schema.Int,
  /** When the first of them happened; null where there is none. */
  oldest: Schema.NullOr(moment)
})
export type Backlog = typeof Backlog.Type

/** Counting on costs more than anybody wants to know it for. */
export const mostCounted = 10_000

/** Longer than one batch takes on its way, time-outs included. */
export const relayLease = Duration.seconds(30)

export const restAfter = growingPause({ first: Duration.seconds(1), longest: Duration.minutes(1) })

/**
 * How far each topic of the event log was sent on. Whoever holds the lease
 * sends, across all replicas; one that loses it may send what was sent already,
 * and never moves the position.
 */
export class Relays extends Context.Service<
  Relays,
  {
    /** The sequence of the last event that has arrived; 0 before the first. */
    position(topic: string): Effect.Effect<number>
    /**
     * What has not arrived of each of these topics of the log, in their order.
     *
     * @param way in front of the topic in the name that its position is kept under: `kafka/`
     */
    backlogs(way: string, topics: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Backlog>>
    /** All that ever were. */
    readonly all: Effect.Effect<ReadonlyArray<RelayRow>>
    /** Takes the lease. Undefined while somebody else has it, or the topic rests. */
    claim(topic: string): Effect.Effect<RelayRow | undefined>
    /** Everything up to there has arrived; the lease is as long again. Undefined when it was lost. */
    advance(held: RelayRow, position: number): Effect.Effect<RelayRow | undefined>
    /** Gives the lease back. */
    release(held: RelayRow): Effect.Effect<void>
    /** Gives it back after an attempt that failed: nobody takes it before a pause that grows. */
    rest(held: RelayRow): Effect.Effect<void>
  }
>()("portico/store/Relays") {
  static readonly layer = Layer.effect(
    Relays,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { first, rows } = rowsOf(RelayRow)
      const backlog = rowsOf(Backlog)
      const { after, now } = momentsOf(sql)
      const columns = sql`relays.topic, relays.position::float8 AS position, relays.lease, relays.lease_ends, relays.failures`
      const { own, released, renewed, taken } = leasedOf(sql, { table: "relays", key: "topic", time: relayLease })

      return Relays.of({
        position: (topic) =>
          Effect.map(first(sql`SELECT ${columns} FROM relays WHERE topic = ${topic}`), (_) => _?.position ?? 0),
        backlogs: (way, topics) =>
          backlog.rows(sql`
            SELECT asked.name AS topic, waiting.events, waiting.oldest
            FROM unnest(${topics}::text[]) WITH ORDINALITY AS asked (name, place), LATERAL (
              SELECT count(*)::int AS events, (array_agg(at ORDER BY sequence))[1] AS oldest FROM (
                SELECT at, sequence FROM events
                WHERE topic = asked.name
                  AND sequence > COALESCE((SELECT position FROM relays WHERE topic = ${way}::text || asked.name), 0)
                ORDER BY sequence LIMIT ${mostCounted}
              ) AS behind
            ) AS waiting
            ORDER BY asked.place`),
        all: rows(sql`SELECT ${columns} FROM relays ORDER BY topic`),
        claim: (topic) =>
          first(sql`
            INSERT INTO relays (topic, position, lease, lease_ends, failures)
            VALUES (${topic}, 0, ${randomUUID()}::uuid, ${after(relayLease)}, 0)
            ON CONFLICT (topic) DO UPDATE SET ${taken}
            WHERE relays.lease_ends <= ${now}
            RETURNING ${columns}`),
        advance: (held, position) =>
          first(sql`
            UPDATE relays SET position = ${position}::float8::bigint, failures = 0, ${renewed}
            WHERE ${own(held)} RETURNING ${columns}`),
        release: (held) =>
          run(sql`
              UPDATE relays SET ${released(Duration.zero)}
              WHERE ${own(held)}`),
        rest: (held) =>
          run(sql`
              UPDATE relays SET failures = failures + 1, ${released(restAfter(held.failures + 1))}
              WHERE ${own(held)}`)
      })
    })
  )

  static readonly layerMemory = Layer.effect(
    Relays,
    Effect.gen(function* () {
      const { events: log, relays } = yield* Memory
      const now = Clock.currentTimeMillis
      const after = (at: number, duration: Duration.Duration) => DateTime.makeUnsafe(at + Duration.toMillis(duration))
      const put = (row: RelayRow) => {
        relays.set(row.topic, row)
        return row
      }
      /** Changes the row of whoever holds the lease. */
      const update = (held: RelayRow, to: (at: number, row: RelayRow) => Partial<RelayRow>) =>
        Effect.map(now, (at) => {
          const row = relays.get(held.topic)
          return row === undefined || row.lease !== held.lease ? undefined : put({ ...row, ...to(at, row) })
        })

      return Relays.of({
        position: (topic) => Effect.sync(() => relays.get(topic)?.position ?? 0),
        backlogs: (way, topics) =>
          Effect.sync(() =>
            topics.map((topic) => {
              const position = relays.get(`${way}${topic}`)?.position ?? 0
              const behind = [...log.values()].filter((_) => _.topic === topic && _.sequence > position)
              return { topic, events: Math.min(behind.length, mostCounted), oldest: behind[0]?.at ?? null }
            })
          ),
        all: Effect.sync(() => [...relays.values()].toSorted((a, b) => (a.topic < b.topic ? -1 : 1))),
        claim: (topic) =>
          Effect.map(now, (at) => {
            const row = relays.get(topic) ?? { topic, position: 0, failures: 0, lease_ends: DateTime.makeUnsafe(at) }
            if (DateTime.toEpochMillis(row.lease_ends) > at) return undefined
            return put({ ...row, lease: randomUUID(), lease_ends: after(at, relayLease) })
          }),
        advance: (held, position) =>
          update(held, (at) => ({ position, failures: 0, lease_ends: after(at, relayLease) })),
        release: (held) => Effect.asVoid(update(held, (at) => ({ lease: null, lease_ends: DateTime.makeUnsafe(at) }))),
        rest: (held) =>
          Effect.asVoid(
            update(held, (at, row) => ({
              lease: null,
              failures: row.failures + 1,
              lease_ends: after(at, restAfter(held.failures + 1))
            }))
          )
      })
    })
  )
}
