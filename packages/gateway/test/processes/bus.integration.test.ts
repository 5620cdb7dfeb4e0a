import { assert, it } from "@effect/vitest"
import { asgTopic } from "@portico/contract/Events"
import { batchSize } from "@portico/domain/relay"
import { relayLease } from "@portico/store/Relays"
import { Config, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { pass } from "@portico/testing/store/Aging"
import { isHere, named, realBrokers } from "../../../upstream/test/kafka/RealBrokers.ts"
import { startGateway, story } from "./harness.ts"

/** How many events the relay has to send; see docs/operators/bus.md for a run with ten million. */
const wanted = Config.Int("PORTICO_BUS_EVENTS").pipe(Config.withDefault(50_000))

/** They are written in pieces, and forgotten once they are relayed, so that any number fits into the database. */
const piece = 20_000
const keys = 50

/**
 * Appends the events with these numbers; the id of each ends with its number. ANALYZE tells the planner how many there are:
 * these stories empty the log, and for an empty one the planner chooses to read and sort a whole piece for each call.
 */
const happen = Effect.fnUntraced(function* (from: number, to: number) {
  const sql = yield* SqlClient.SqlClient
  const inserted = sql`
    INSERT INTO events (id, topic, key, at, envelope)
    SELECT id::uuid, ${asgTopic}, key, now(), jsonb_build_object(
      'id', id, 'topic', ${asgTopic}::text, 'kind', 'a.kind', 'at', '2026-01-05T10:00:00.000Z', 'key', key,
      'project_id', null, 'data', jsonb_build_object('text', repeat('x', 200)))
    FROM generate_series(${from}::int, ${to - 1}::int) AS n,
      LATERAL (SELECT '00000000-0000-4000-8000-' || lpad(n::text, 12, '0') AS id, 'group-' || n % ${keys}::int AS key) AS named
    ORDER BY n`
  yield* sql.withTransaction(Effect.andThen(inserted, sql`ANALYZE events`))
})

/** How many are not relayed yet. Nothing else numbers events meanwhile, but for a few of other topics. */
const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT (COALESCE((SELECT max(sequence) FROM events WHERE topic = ${asgTopic}), 0)
      - COALESCE((SELECT position FROM relays WHERE topic = ${`kafka/${asgTopic}`}), 0))::int AS count`
  return row?.count ?? 0
})

/** Waits until at most so many are not relayed yet. */
const downTo = (count: number) =>
  Effect.filterOrFail(left, (_) => _ <= count).pipe(
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.timeout("150 seconds")
  )

/** Is given the number of each event in the order of its key, and counts those that came again. */
const inOrder = () => {
  const last = new Map<number, number>()
  const seen = { distinct: 0, again: 0 }
  return {
    seen,
    take: (number: number) => {
      const key = number % keys
      const before = last.get(key) ?? key - keys
      if (number <= before) {
        seen.again += 1
        return
      }
      assert.strictEqual(number, before + keys, "an event is missing, or came before an earlier one of its key")
      last.set(key, number)
      seen.distinct += 1
    }
  }
}

if (isHere) {
  story(
    "the relay to Kafka goes on after a kill where it was: nothing is lost, and one call at most comes again",
    () =>
      Effect.gen(function* () {
        const { admin, each } = yield* realBrokers()
        const settings = { KAFKA_BROKERS: admin, KAFKA_REPLICATION: "1" }
        const count = yield* Effect.orDie(wanted)
        const doomed = yield* startGateway(settings)
        yield* happen(0, Math.min(piece, count))
        yield* downTo(Math.min(piece, count) * 0.9)
        yield* doomed.kill
        assert.isAbove(yield* left, 0, "it was killed too late")
        yield* pass(relayLease)

        yield* startGateway(settings)
        const sql = yield* SqlClient.SqlClient
        const started = performance.now()
        const first = yield* left
        yield* downTo(0)
        for (let from = piece; from < count; from += piece) {
          yield* sql`DELETE FROM events WHERE topic = ${asgTopic}`
          yield* sql`VACUUM events`
          yield* happen(from, Math.min(from + piece, count))
          yield* downTo(0)
        }
        const seconds = (performance.now() - started) / 1000
        const sent = first + Math.max(0, count - piece)
        yield* Effect.log(`relayed ${sent} events in ${seconds.toFixed(1)} s: ${Math.round(sent / seconds)} a second`)

        const { seen, take } = inOrder()
        yield* each(asgTopic, (_, headers) => take(Number(/(?:^|,)id=[^,]*-(\d+)/.exec(headers)?.[1])))
        assert.strictEqual(seen.distinct, count)
        assert.isAtMost(seen.again, batchSize)
      }),
    7_200_000
  )
} else it.skip(named("the relay to Kafka after a kill"), () => {})
