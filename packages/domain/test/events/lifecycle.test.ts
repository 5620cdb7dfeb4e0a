import { assert } from "@effect/vitest"
import { drainTime, Publisher } from "@portico/domain/events/Publisher"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { settle } from "@portico/testing/clock"
import {
  change,
  changes,
  elapse,
  ids,
  ledger,
  postgresStoriesOf,
  resources,
  saying,
  secondsOf,
  started,
  startedWith,
  storiesOf,
  troubles,
  Unreliable,
  published
} from "./stories.ts"

storiesOf("Lifecycle events", (story) => {
  story(
    "are in the ledger's topic, as they happened",
    Effect.fnUntraced(function* () {
      const { record } = yield* started
      yield* TestClock.adjust("1 hour")
      yield* record(change(1))
      yield* TestClock.adjust("1 second")
      yield* record({ ...change(2), kind: "volume.delete", projectId: null })
      yield* published(ids(2))

      const found = yield* ledger
      assert.deepStrictEqual(
        found.map(({ event: { id: _, ...event } }) => event),
        [
          {
            topic: "billing.lifecycle",
            kind: "volume.create",
            at: "1970-01-01T01:00:00.000Z",
            key: "volume-1",
            project_id: "project-1",
            data: change(1).data
          },
          {
            topic: "billing.lifecycle",
            kind: "volume.delete",
            at: "1970-01-01T01:00:01.000Z",
            key: "volume-2",
            project_id: null,
            data: change(2).data
          }
        ]
      )
      for (const { event, row } of found) {
        assert.deepInclude(row, { id: event.id, topic: event.topic, key: event.key })
        assert.strictEqual(row.at.toString(), `DateTime.Utc(${event.at})`)
      }
      assert.notStrictEqual(found[0]?.event.id, found[1]?.event.id)
    })
  )

  story(
    "are recorded without waiting, with any failure of the store",
    Effect.fnUntraced(function* () {
      const { become } = yield* Unreliable
      for (const trouble of troubles) {
        const { record } = yield* started
        yield* become(trouble)
        yield* Effect.forEach(changes(3), record)
        yield* settle
        // The clock stands, so that whatever waits for anything would wait for ever.
        yield* Effect.forEach(changes(3), record)
      }
    })
  )

  for (const trouble of troubles) {
    for (const nth of [1, 2, 3]) {
      story(
        `are all there once and in order when append ${nth} ${trouble}`,
        Effect.fnUntraced(function* () {
          const { appends, troubleAt } = yield* Unreliable
          const { record } = yield* started
          yield* troubleAt(nth, trouble)

          for (let at = 1; at <= 4; at++) {
            yield* record(change(at))
            yield* elapse(3)
          }
          yield* elapse(60, 10)

          yield* published(ids(4))
          assert.isAbove((yield* appends).length, nth, "nothing was repeated")
          const found = yield* ledger
          assert.strictEqual(new Set(found.map((_) => _.event.id)).size, 4)
        })
      )
    }
  }

  story(
    "wait while the store is down for an hour, and are then published within half a minute",
    Effect.fnUntraced(function* () {
      const { appends, become } = yield* Unreliable
      const { record } = yield* started
      yield* become("fails")
      for (let at = 0; at < 9; at++) {
        yield* Effect.forEach(changes(50, at * 50 + 1), record)
        yield* elapse(400, 10)
      }
      assert.deepStrictEqual(yield* resources, [])
      const attempts = (yield* appends).length
      assert.isAbove(attempts, 100)
      assert.isBelow(attempts, 140, "it does not rest between attempts")

      yield* become(undefined)
      yield* elapse(30)

      yield* published(ids(450))
      assert.deepStrictEqual((yield* appends).slice(attempts), [200, 200, 50])
      assert.strictEqual((yield* saying("events are published again")).length, 1)
    })
  )

  story(
    "do not pause long after a short failure, nor after one that has ended",
    Effect.fnUntraced(function* () {
      const { become, troubleAt } = yield* Unreliable
      const { record } = yield* started
      yield* become("fails")
      yield* record(change(1))
      yield* elapse(300, 10)
      yield* become(undefined)
      yield* elapse(30)
      yield* published(ids(1))

      yield* troubleAt(1, "fails")
      yield* record(change(2))
      yield* elapse(1)
      yield* published(ids(2))
    })
  )

  story(
    "log why they cannot be published, without internals",
    Effect.fnUntraced(function* () {
      const { become } = yield* Unreliable
      const { record } = yield* started
      yield* become("fails")
      yield* record(change(1))
      yield* settle

      const [said = "", ...more] = yield* saying("cannot be published yet")
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(JSON.parse(said), [
        "events cannot be published yet",
        { why: "connect ECONNREFUSED 10.0.0.5:5432", attempts: 1, waiting: 1 },
        null
      ])
    })
  )

  story(
    "are published before the process exits if they wait",
    Effect.fnUntraced(function* () {
      const { record, stop } = yield* started
      yield* Effect.forEach(changes(450), record)

      assert.strictEqual(yield* secondsOf(stop), 0)

      assert.deepStrictEqual(yield* resources, ids(450))
      assert.deepStrictEqual(yield* saying("lost"), [])
    })
  )

  story(
    "do not delay the exit of a process that has none",
    Effect.fnUntraced(function* () {
      const { record, stop } = yield* started
      yield* record(change(1))
      yield* published(ids(1))
      yield* (yield* Unreliable).become("hangs")
      assert.strictEqual(yield* secondsOf(stop), 0)
    })
  )

  story(
    "are retried at once when the process stops during a pause",
    Effect.fnUntraced(function* () {
      const { become } = yield* Unreliable
      const { record, stop } = yield* started
      yield* become("fails")
      yield* record(change(1))
      yield* elapse(600, 10)
      yield* become(undefined)

      assert.isAtMost(yield* secondsOf(stop), 1)

      assert.deepStrictEqual(yield* resources, ids(1))
      assert.deepStrictEqual(yield* saying("lost"), [])
    })
  )

  for (const trouble of [...troubles, "hangs for good"] as const) {
    story(
      `are logged in full after a bounded time when the store ${trouble} until the exit`,
      Effect.fnUntraced(function* () {
        const { appends, become } = yield* Unreliable
        const { record, stop } = yield* started
        yield* become(trouble)
        yield* Effect.forEach(changes(250), record)
        yield* elapse(100, 10)
        const before = (yield* appends).length

        assert.strictEqual(yield* secondsOf(stop), Duration.toSeconds(drainTime))

        assert.isBelow((yield* appends).length, before + 40, "it does not rest between attempts")
        assert.strictEqual((yield* saying("250 events were left unpublished")).length, 1)
        const lost = yield* saying("an event is lost")
        assert.deepStrictEqual(
          lost.map((_) => JSON.parse(_)[0][1].key),
          ids(250)
        )
        assert.include(lost[0], JSON.stringify(change(1).data))
        yield* become(undefined)
        yield* elapse(60, 10)
        if (trouble !== "loses the answer") assert.deepStrictEqual(yield* resources, [], "something goes on")
      })
    )
  }

  story(
    "recorded after the stop are logged in full",
    Effect.fnUntraced(function* () {
      const { record, stop } = yield* started
      yield* stop
      yield* record(change(1))
      const [lost = "", ...more] = yield* saying("an event is lost")
      assert.include(lost, JSON.stringify(change(1).data))
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(yield* resources, [])
    })
  )

  story(
    "are bounded in number: of too many the newest are lost, and logged in full",
    Effect.fnUntraced(function* () {
      const capacity = 500
      const { become } = yield* Unreliable
      const { record } = yield* startedWith(Publisher.layerOf(capacity))
      yield* become("fails")
      yield* Effect.forEach(changes(capacity), record)
      yield* settle
      assert.deepStrictEqual(yield* saying("lost"), [])
      yield* record(change(capacity + 1))

      const [lost = "", ...more] = yield* saying("an event is lost")
      assert.deepStrictEqual(more, [])
      assert.include(lost, JSON.stringify(change(capacity + 1).data))

      yield* become(undefined)
      yield* elapse(1)
      yield* record(change(capacity + 2))
      yield* published([...ids(capacity), `volume-${capacity + 2}`])
    })
  )

  story(
    "may wait by the hundred thousand",
    Effect.fnUntraced(function* () {
      yield* (yield* Unreliable).become("hangs")
      const { record } = yield* started
      const many = change(1)
      yield* Effect.forEach(Array.from({ length: 100_000 }), () => record(many), { discard: true })
      assert.deepStrictEqual(yield* saying("lost"), [])
      yield* record(many)
      assert.strictEqual((yield* saying("an event is lost")).length, 1)
    })
  )
})

postgresStoriesOf("Lifecycle events, while the database itself fails", (story) => {
  story(
    "survive a missing table",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const { record } = yield* started
      yield* sql`ALTER TABLE events RENAME TO elsewhere`
      yield* Effect.forEach(changes(3), record)
      yield* elapse(60, 10)
      const [said = ""] = yield* saying("cannot be published yet")
      assert.strictEqual(JSON.parse(said)[1].why, 'relation "events" does not exist')

      yield* sql`ALTER TABLE elsewhere RENAME TO events`
      yield* elapse(30)

      yield* published(ids(3))
    })
  )

  story(
    "abort an append that takes too long, and repeat it",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const { appends } = yield* Unreliable
      const { record } = yield* started
      const locked = yield* Deferred.make<void>()
      const lock = sql`LOCK TABLE events`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Effect.never)
      )
      const holder = yield* Effect.forkScoped(sql.withTransaction(lock))
      yield* Deferred.await(locked)
      yield* Effect.forEach(changes(3), record)
      // It is given up when the database has answered that it was, in a time of its own.
      while ((yield* appends).length < 2) {
        yield* settle
        yield* TestClock.adjust("1 second")
      }

      yield* Fiber.interrupt(holder)
      yield* elapse(60)

      yield* published(ids(3))
    })
  )
})
