import { assert, it } from "@effect/vitest"
import { asgTopic } from "@portico/contract/Events"
import { stopped } from "@portico/domain/bus/relay"
import { batchSize } from "@portico/domain/relay"
import { relayLease } from "@portico/store/Relays"
import { Config, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { pass } from "@portico/testing/store/Aging"
import { isHere, named, realBrokers } from "../../../upstream/test/kafka/RealBrokers.ts"
import { eventually } from "./children.ts"
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

/** From so many events before the last one on, no position of the relay can be stored. */
const holdPositions = Effect.fnUntraced(function* (before: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3600); RETURN NEW; END $$`
  const [last] = yield* sql<{ readonly position: number }>`SELECT max(sequence)::int AS position FROM events`
  yield* sql`
    CREATE TRIGGER hold BEFORE UPDATE OF position ON relays FOR EACH ROW
    WHEN (NEW.topic = ${sql.literal(`'kafka/${asgTopic}'`)} AND NEW.position > ${sql.literal(String((last?.position ?? 0) - before))})
    EXECUTE FUNCTION hold()`
})

const isHeld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const held = yield* sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
  assert.lengthOf(held, 1, "no call waits for its position to be stored")
})

/** Ends the connection that waits, whose client is gone. */
const letPositionsGo = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'PgSleep'`
  yield* sql`DROP TRIGGER hold ON relays`
})

/** How many are not relayed yet. Nothing else numbers events meanwhile, but for a few of other topics. */
const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT (COALESCE((SELECT max(sequence) FROM events WHERE topic = ${asgTopic}), 0)
      - COALESCE((SELECT position FROM relays WHERE topic = ${`kafka/${asgTopic}`}), 0))::int AS count`
  return row?.count ?? 0
})

const allRelayed = Effect.filterOrFail(left, (_) => _ === 0).pipe(Effect.retry(Schedule.spaced("50 millis")))

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
    "the relay to Kafka resumes after a kill without loss, repeating only failed calls",
    () =>
      Effect.gen(function* () {
        const { admin, each } = yield* realBrokers()
        const settings = { KAFKA_BROKERS: admin, KAFKA_REPLICATION: "1", DATABASE_STATEMENT_SECONDS: "60" }
        const count = yield* Effect.orDie(wanted)
        const doomed = yield* startGateway(settings)
        const first = Math.min(piece, count)
        yield* (yield* SqlClient.SqlClient).withTransaction(Effect.andThen(happen(0, first), holdPositions(first / 10)))
        yield* eventually(isHeld)
        yield* doomed.kill
        yield* letPositionsGo
        yield* pass(relayLease)

        const next = yield* startGateway(settings)
        const sql = yield* SqlClient.SqlClient
        const started = performance.now()
        const behind = yield* left
        yield* allRelayed
        for (let from = piece; from < count; from += piece) {
          yield* sql`DELETE FROM events WHERE topic = ${asgTopic}`
          yield* sql`VACUUM events`
          yield* happen(from, Math.min(from + piece, count))
          yield* allRelayed
        }
        const seconds = (performance.now() - started) / 1000
        const sent = behind + Math.max(0, count - piece)
        yield* Effect.log(`relayed ${sent} events in ${seconds.toFixed(1)} s: ${Math.round(sent / seconds)} a second`)

        const { seen, take } = inOrder()
        yield* each(asgTopic, (_, headers) => take(Number(/(?:^|,)id=[^,]*-(\d+)/.exec(headers)?.[1])))
        assert.strictEqual(seen.distinct, count)
        assert.isAbove(seen.again, 0)
        // The call before the kill counts as one. A call that failed may have been written to some of the partitions.
        const failed = [doomed, next].flatMap(({ log }) =>
          log()
            .split("\n")
            .filter((_) => _.includes(stopped))
        )
        assert.isAtMost(seen.again, (1 + failed.length) * batchSize)
      }),
    7_200_000
  )
} else it.skip(named("the relay to Kafka after a kill"), () => {})
