import { Context, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { growingPause, leasedOf } from "./leased.ts"
import { moment, momentsOf, rowsOf, run } from "./rows.ts"

export const RelayRow = Schema.Struct({
  topic: Schema.String,
  /** The sequence of the last event that the other side has acknowledged; 0 before the first. */
  position: Schema.Int,
  lease: Schema.NullOr(Schema.String),
  lease_ends: moment,
  failures: Schema.Int
})
export type RelayRow = typeof RelayRow.Type

/** The events of a topic that are not relayed yet. */
export const Backlog = Schema.Struct({
  topic: Schema.String,
  /** At most {@link maxCounted}, which stands for that or more. */
  events: Schema.Int,
  /** When the oldest of them happened; null when there are none. */
  oldest: Schema.NullOr(moment)
})
export type Backlog = typeof Backlog.Type

/** Limits the cost of counting a backlog. */
export const maxCounted = 10_000

/** Longer than one batch takes, time-outs included. */
export const relayLease = Duration.seconds(30)

export const pauseAfter = growingPause({ first: Duration.seconds(1), longest: Duration.minutes(1) })

/**
 * The position up to which each topic of the event log was relayed. The lease
 * holder sends, across all replicas. A process that loses the lease may send
 * events again, but never moves the position.
 */
export class Relays extends Context.Service<
  Relays,
  {
    /** The sequence of the last acknowledged event; 0 before the first. */
    position(topic: string): Effect.Effect<number>
    /**
     * The backlog of each of these topics, in their order.
     *
     * @param way the prefix of the topic in the relay's name, such as `kafka/`
     */
    backlogs(way: string, topics: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Backlog>>
    /** All relays, including past ones. */
    readonly all: Effect.Effect<ReadonlyArray<RelayRow>>
    /** Takes the lease. Undefined while another process holds it, or the topic pauses. */
    claim(topic: string): Effect.Effect<RelayRow | undefined>
    /** Stores the acknowledged position and renews the lease. Undefined when the lease was lost. */
    advance(held: RelayRow, position: number): Effect.Effect<RelayRow | undefined>
    /** Releases the lease. */
    release(held: RelayRow): Effect.Effect<void>
    /** Releases the lease after a failed attempt. The topic pauses for a time that grows with each failure. */
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
                ORDER BY sequence LIMIT ${maxCounted}
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
              UPDATE relays SET failures = failures + 1, ${released(pauseAfter(held.failures + 1))}
              WHERE ${own(held)}`)
      })
    })
  )
}
