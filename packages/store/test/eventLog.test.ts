import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Queue, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { EventLog, type NewEvent, type Reading } from "../src/EventLog.ts"
import { atOnce } from "../src/rows.ts"
import { Transactions } from "../src/Transactions.ts"
import { settle } from "@portico/testing/clock"
import { pass } from "@portico/testing/store/Aging"
import { killSessions, replica, sessionsWaiting } from "./replica.ts"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

const topic = "billing.lifecycle"

/** Named by what happened, so that orders can be read. */
const event = Effect.fnUntraced(function* (kind: string, more: Partial<NewEvent> = {}) {
  const id = randomUUID()
  const at = yield* DateTime.now
  return { id, topic, key: "volume-1", at, envelope: { id, kind }, ...more } satisfies NewEvent
})

const append = Effect.fnUntraced(function* (...kinds: ReadonlyArray<string>) {
  const events = yield* Effect.forEach(kinds, (_) => event(_))
  yield* (yield* EventLog).append(events)
  return events
})

const page = Effect.fnUntraced(function* (after = 0, limit = 1000, of = topic) {
  return yield* (yield* EventLog).page(of, after, limit)
})

const kinds = Effect.map(page(), (rows) => rows.map((_) => _.envelope["kind"]))

storiesOf("EventLog", (story) => {
  story(
    "appended events are read unchanged and in order",
    Effect.fnUntraced(function* () {
      assert.deepStrictEqual(yield* page(), [])

      const events = [...(yield* append("a", "b")), ...(yield* append("c"))]

      const rows = yield* page()
      assert.deepStrictEqual(
        rows.map(({ sequence: _, ...row }) => row),
        events
      )
      const [a = 0, b = 0, c = 0] = rows.map((_) => _.sequence)
      assert.isTrue(0 < a && a < b && b < c)
    })
  )

  story(
    "an envelope may hold any JSON",
    Effect.fnUntraced(function* () {
      const envelope = { list: [1, -0.5, 1e300, null, true, { "": [] }], text: "é\u{1F600}'\"\\\n%", empty: {} }
      yield* (yield* EventLog).append([yield* event("odd", { envelope })])
      assert.deepStrictEqual(
        (yield* page()).map((_) => _.envelope),
        [envelope]
      )
    })
  )

  story(
    "characters that the database cannot store are replaced",
    Effect.fnUntraced(function* () {
      const envelope = { "a\0": ["b\0c", { d: "\uD800" }] }
      const odd = yield* event("odd", { key: "\0\uDC00", envelope })
      yield* (yield* EventLog).append([odd, yield* event("of an ordinary key", { envelope })])
      yield* append("next")

      const [first, second, next] = yield* page()
      const held = { "a\uFFFD": ["b\uFFFDc", { d: "\uFFFD" }] }
      assert.deepStrictEqual([first?.key, first?.envelope], ["\uFFFD\uFFFD", held])
      assert.deepStrictEqual([second?.key, second?.envelope], ["volume-1", held])
      assert.strictEqual(next?.envelope["kind"], "next")
    })
  )

  story(
    "a reader with a cursor reads each event once",
    Effect.fnUntraced(function* () {
      const names = Array.from({ length: 25 }, (_, index) => `${index}`)
      yield* append(...names)

      const read: Array<unknown> = []
      let after = 0
      for (let rows = yield* page(after, 10); rows.length > 0; rows = yield* page(after, 10)) {
        assert.isAtMost(rows.length, 10)
        read.push(...rows.map((_) => _.envelope["kind"]))
        after = rows.at(-1)?.sequence ?? after
      }
      assert.deepStrictEqual(read, names)

      yield* append("later")
      assert.deepStrictEqual(
        (yield* page(after)).map((_) => _.envelope["kind"]),
        ["later"]
      )
      assert.deepStrictEqual(yield* page(2 ** 52), [])
      assert.deepStrictEqual(yield* page(0, 0), [])
    })
  )

  story(
    "the same id twice is one event, the first",
    Effect.fnUntraced(function* () {
      const { append } = yield* EventLog
      const first = yield* event("first")
      const again = { ...first, envelope: { kind: "again" } }
      const second = yield* event("second")

      yield* append([first, again])
      yield* append([first, again, second])

      assert.deepStrictEqual(yield* kinds, ["first", "second"])
    })
  )

  story(
    "of the given ids it returns those that are in the log",
    Effect.fnUntraced(function* () {
      const { known } = yield* EventLog
      const [first, second] = yield* append("first", "second")
      assert.isDefined(first)
      assert.isDefined(second)
      const other = randomUUID()
      for (const [asked, expected] of [
        [[], []],
        [[other], []],
        [[second.id], [second.id]],
        [
          [first.id, other, second.id],
          [first.id, second.id]
        ]
      ] as const) {
        assert.deepStrictEqual(yield* known(asked), new Set(expected))
      }
    })
  )

  story(
    "appending an empty list changes nothing",
    Effect.fnUntraced(function* () {
      yield* append()
      assert.deepStrictEqual(yield* page(), [])
    })
  )

  story(
    "a large append is whole and in order",
    Effect.fnUntraced(function* () {
      const names = Array.from({ length: 3000 }, (_, index) => `${index}`)
      yield* append(...names)
      assert.deepStrictEqual(
        (yield* page(0, 5000)).map((_) => _.envelope["kind"]),
        names
      )
    })
  )

  story(
    "a topic has its own events",
    Effect.fnUntraced(function* () {
      const log = yield* EventLog
      yield* log.append([yield* event("a"), yield* event("b", { topic: "api.audit" }), yield* event("c")])

      assert.deepStrictEqual(yield* kinds, ["a", "c"])
      assert.deepStrictEqual(
        (yield* page(0, 10, "api.audit")).map((_) => _.envelope["kind"]),
        ["b"]
      )
      assert.deepStrictEqual(yield* page(0, 10, "api"), [])
    })
  )

  story(
    "a project reads its events of several topics, in either direction, page by page",
    Effect.fnUntraced(function* () {
      const log = yield* EventLog
      const of = (project_id: string | null, topic: string, kind: string) =>
        Effect.flatMap(event(kind), (_) => log.append([{ ..._, topic, envelope: { ..._.envelope, project_id } }]))
      for (const round of ["1", "2", "3"]) {
        yield* of("mine", "alarms", `alarm-${round}`)
        yield* of("mine", "api.audit", `call-${round}`)
        yield* of("yours", "alarms", `other-${round}`)
        yield* of(null, topic, `nobodys-${round}`)
        yield* of("mine", topic, `volume-${round}`)
      }

      const all = Effect.fnUntraced(function* (reading: Pick<Reading, "order" | "projectId" | "topics">) {
        const read: Array<unknown> = []
        let after: number | undefined
        for (;;) {
          const rows = yield* log.read({ ...reading, after, limit: 4 })
          if (rows.length === 0) return read
          read.push(...rows.map((_) => _.envelope["kind"]))
          after = rows.at(-1)?.sequence
        }
      })
      const topics = [topic, "alarms"]
      const mine = ["alarm-1", "volume-1", "alarm-2", "volume-2", "alarm-3", "volume-3"]
      assert.deepStrictEqual(yield* all({ topics, projectId: "mine", order: "asc" }), mine)
      assert.deepStrictEqual(yield* all({ topics, projectId: "mine", order: "desc" }), mine.toReversed())
      assert.deepStrictEqual(yield* all({ topics: ["alarms"], projectId: "yours", order: "asc" }), [
        "other-1",
        "other-2",
        "other-3"
      ])
      assert.deepStrictEqual(yield* all({ topics, projectId: "nobody", order: "asc" }), [])
      assert.strictEqual(
        (yield* all({ topics: [...topics, "api.audit"], projectId: undefined, order: "asc" })).length,
        15
      )

      const [last] = yield* log.read({ topics, projectId: undefined, order: "desc", after: undefined, limit: 1 })
      assert.strictEqual(yield* log.newest(topics), last?.sequence)
      assert.strictEqual(yield* log.newest(["nothing"]), 0)
    })
  )

  story(
    "more old events than one statement takes are deleted by several",
    Effect.fnUntraced(function* () {
      const log = yield* EventLog
      const old = yield* event("old")
      yield* log.append(Array.from({ length: atOnce + 2 }, () => ({ ...old, id: randomUUID() })))
      const later = DateTime.add(yield* DateTime.now, { days: 1 })
      assert.deepStrictEqual(
        [yield* log.prune(topic, later), yield* log.prune(topic, later), yield* log.prune(topic, later)],
        [atOnce, 2, 0]
      )
    })
  )

  story(
    "old events of one topic are deleted, and their numbers are not reused",
    Effect.fnUntraced(function* () {
      const log = yield* EventLog
      yield* append("old", "older")
      yield* log.append([yield* event("kept", { topic: "api.audit" })])
      yield* pass("10 days")
      yield* append("new")
      const last = (yield* page()).at(-1)?.sequence ?? 0
      const now = yield* DateTime.now

      assert.strictEqual(yield* log.prune(topic, DateTime.subtract(now, { days: 5 })), 2)

      assert.deepStrictEqual(yield* kinds, ["new"])
      assert.strictEqual((yield* page(0, 10, "api.audit")).length, 1)
      assert.strictEqual(yield* log.prune(topic, DateTime.subtract(now, { days: 5 })), 0)
      assert.strictEqual(yield* log.prune(topic, DateTime.add(now, { days: 1 })), 1)
      yield* append("newest")
      assert.deepStrictEqual(
        (yield* page(last)).map((_) => _.envelope["kind"]),
        ["newest"]
      )
    })
  )

  story(
    "all topics are read in one order, from a position to the end",
    Effect.fnUntraced(function* () {
      const log = yield* EventLog
      assert.strictEqual(yield* log.last, 0)
      assert.deepStrictEqual(yield* log.topics, [])
      yield* append("a")
      const [first] = yield* page()
      yield* log.append([yield* event("b", { topic: "alarms" }), yield* event("c"), yield* event("d", { topic: "zz" })])

      const rows = yield* log.since(first?.sequence ?? 0, 2)
      assert.deepStrictEqual(
        rows.map((_) => [_.topic, _.envelope["kind"]]),
        [
          ["alarms", "b"],
          [topic, "c"]
        ]
      )
      const rest = yield* log.since(rows.at(-1)?.sequence ?? 0, 100)
      assert.deepStrictEqual(
        rest.map((_) => _.envelope["kind"]),
        ["d"]
      )
      assert.strictEqual(yield* log.last, rest.at(-1)?.sequence)
      assert.deepStrictEqual(yield* log.since(yield* log.last, 100), [])
      assert.deepStrictEqual(yield* log.topics, ["alarms", topic, "zz"])
    })
  )

  story(
    "an event that has not been relayed is not deleted",
    Effect.fnUntraced(function* () {
      const log = yield* EventLog
      yield* append("a", "b", "c")
      const [, b] = yield* page()
      const later = DateTime.add(yield* DateTime.now, { days: 1 })

      assert.strictEqual(yield* log.prune(topic, later, 0), 0)
      assert.strictEqual(yield* log.prune(topic, later, b?.sequence), 2)

      assert.deepStrictEqual(yield* kinds, ["c"])
    })
  )

  story(
    "a listener is notified of an append when the events are readable",
    Effect.fnUntraced(function* () {
      const log = yield* EventLog
      const arrivals = yield* log.arrivals
      const read = yield* arrivals.pipe(
        Stream.take(1),
        Stream.mapEffect(() => kinds),
        Stream.runCollect,
        Effect.forkScoped
      )

      yield* append("a", "b")

      assert.deepStrictEqual(yield* Fiber.join(read), [["a", "b"]])
    })
  )

  story(
    "an append in a transaction is notified after the commit, and never after a rollback",
    Effect.fnUntraced(function* () {
      const { atomically } = yield* Transactions
      const arrivals = yield* (yield* EventLog).arrivals
      const heard = yield* arrivals.pipe(
        Stream.take(1),
        Stream.mapEffect(() => kinds),
        Stream.runCollect,
        Effect.forkScoped({ startImmediately: true })
      )

      yield* Effect.exit(atomically(Effect.andThen(append("undone"), Effect.fail("no"))))
      yield* atomically(
        Effect.gen(function* () {
          yield* append("done")
          for (let turns = 0; turns < 10; turns++) yield* Effect.yieldNow
          assert.isUndefined(heard.pollUnsafe(), "not committed yet")
        })
      )

      assert.deepStrictEqual(yield* Fiber.join(heard), [["done"]])
    })
  )
})

postgresStoriesOf("EventLog of several replicas", (story) => {
  story(
    "an append is notified to other replicas, and not before its commit",
    Effect.fnUntraced(function* () {
      const { atomically } = yield* Transactions
      const other = yield* replica
      const arrivals = yield* Effect.provide(
        Effect.flatMap(EventLog, (_) => _.arrivals),
        other
      )
      // Notifications come in the order of their commits, so whatever was to be heard before this one has come.
      const fence = yield* Effect.provide(
        Effect.flatMap(PgClient.PgClient, (_) => _.listen("fence")),
        other
      )
      const heard = yield* arrivals.pipe(
        Stream.take(1),
        Stream.mapEffect(() => kinds),
        Stream.runCollect,
        Effect.forkScoped
      )

      yield* Effect.exit(atomically(Effect.andThen(append("undone"), Effect.fail("no"))))
      yield* (yield* SqlClient.SqlClient)`SELECT pg_notify('fence', '')`
      yield* Queue.take(fence)
      yield* settle
      yield* append("done")

      assert.deepStrictEqual(yield* Fiber.join(heard), [["done"]])
    })
  )

  story(
    "a listener that may have missed an arrival fails",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const arrivals = yield* (yield* EventLog).arrivals
      const heard = yield* Effect.forkScoped(Effect.exit(Stream.runDrain(arrivals)))

      assert.strictEqual(yield* killSessions(sql`query ILIKE 'LISTEN%'`), 1)

      assert.isTrue(Exit.isFailure(yield* Fiber.join(heard)))
    })
  )

  story(
    "an append waits for another that has drawn numbers and is not committed",
    Effect.fnUntraced(function* () {
      const drawn = yield* Deferred.make<void>()
      const commit = yield* Deferred.make<void>()
      const slow = yield* append("slow").pipe(
        Effect.andThen(Deferred.succeed(drawn, undefined)),
        Effect.andThen(Deferred.await(commit)),
        (_) => Effect.flatMap(Transactions, (transactions) => transactions.atomically(_)),
        Effect.forkScoped
      )
      yield* Deferred.await(drawn)
      const quick = yield* Effect.forkScoped(Effect.provide(append("quick"), yield* replica))

      // Were the quick one to be seen now, a reader that has passed it would never see the slow one.
      yield* sessionsWaiting(1)
      assert.deepStrictEqual(yield* kinds, [])

      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(slow)
      yield* Fiber.join(quick)
      assert.deepStrictEqual(yield* kinds, ["slow", "quick"])
    })
  )

  story(
    "an append that fails leaves no event, and blocks no other",
    Effect.fnUntraced(function* () {
      const log = yield* EventLog
      const events = [yield* event("good"), yield* event("bad", { id: "no uuid" })]
      assert.isTrue(yield* Effect.isFailure(Effect.sandbox(log.append(events))))
      assert.deepStrictEqual(yield* kinds, [])
      yield* append("next")
      assert.deepStrictEqual(yield* kinds, ["next"])
    })
  )

  story(
    "a reader that follows the log while replicas append misses no event",
    Effect.fnUntraced(function* () {
      const replicas = yield* Effect.all([replica, replica, replica])
      const appends = replicas.flatMap((context, number) =>
        Array.from({ length: 40 }, (_, index) =>
          Effect.provide(append(`${number}-${index}`, `${number}-${index}'`), context)
        )
      )
      const writing = yield* Effect.forkScoped(Effect.all(appends, { concurrency: 12 }))

      const followed: Array<string> = []
      let after = 0
      while (followed.length < 240) {
        const rows = yield* page(after, 7)
        followed.push(...rows.map((_) => _.id))
        after = rows.at(-1)?.sequence ?? after
        if (rows.length === 0 && writing.pollUnsafe() !== undefined) break
      }
      yield* Fiber.join(writing)

      assert.deepStrictEqual(
        followed,
        (yield* page()).map((_) => _.id)
      )
      assert.strictEqual(followed.length, 240)
    })
  )
})
