import { assert } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Option, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { Transactions } from "../src/Transactions.ts"
import { type Wake, Wakes } from "../src/Wakes.ts"
import { pass } from "@portico/testing/store/Aging"
import { replica } from "./replica.ts"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

const wake: Wake = { account: 1, closure: "closure-1" }

let nudges = 0

/** Lets this process look at the table now: what others have scheduled it sees only from time to time. */
const nudge = Effect.suspend(() =>
  Effect.flatMap(Wakes, (_) => _.schedule(`nudge-${(nudges += 1)}`, wake, Duration.zero))
)

/** Takes what is due first, which is before any nudge. */
const take = Effect.fnUntraced(function* <A, E, R>(woken: (wake: Wake, id: string) => Effect.Effect<A, E, R>) {
  yield* nudge
  return yield* (yield* Wakes).take(woken)
})

/** The ids that are due now; nobody waits for what is not. Time that passes here is the computer's. */
const due = Effect.gen(function* () {
  const { take } = yield* Wakes
  const ids = yield* Queue.unbounded<string>()
  const fiber = yield* Effect.forkChild(Effect.forever(take((_, id) => Queue.offer(ids, id))), {
    startImmediately: true
  })
  yield* nudge
  yield* Effect.promise(() => new Promise((done) => setTimeout(done, 100)))
  yield* Fiber.interrupt(fiber)
  return (yield* Queue.clear(ids)).filter((id) => !id.startsWith("nudge"))
})

/** Takes a wake and does not come to an end with it. */
const holding = Effect.gen(function* () {
  const taken = yield* Deferred.make<string>()
  const fiber = yield* Effect.forkScoped(take((_, id) => Effect.andThen(Deferred.succeed(taken, id), Effect.never)))
  return { id: yield* Deferred.await(taken), fiber }
})

storiesOf("Wakes", (story) => {
  story(
    "a wake comes when it is due and not before, once",
    Effect.fnUntraced(function* () {
      const { schedule } = yield* Wakes
      yield* schedule("late", wake, Duration.days(30))
      yield* schedule("now", { ...wake, account: 2 }, Duration.zero)
      assert.deepStrictEqual(yield* due, ["now"])
      yield* pass("29 days")
      assert.deepStrictEqual(yield* due, [])
      yield* pass("1 day")
      assert.deepStrictEqual(yield* take(Effect.succeed), wake)
      assert.deepStrictEqual(yield* due, [])
    })
  )

  story(
    "a second wake of the same id is none, also when the first one is over",
    Effect.fnUntraced(function* () {
      const { schedule } = yield* Wakes
      for (let time = 0; time < 2; time++) yield* schedule("a", wake, Duration.zero)
      assert.deepStrictEqual(yield* due, ["a"])
      yield* schedule("a", wake, Duration.zero)
      assert.deepStrictEqual(yield* due, [])
    })
  )

  story(
    "after a failure it comes again, after 1, 2, 4 … minutes and at most an hour, and is not given up",
    Effect.fnUntraced(function* () {
      yield* (yield* Wakes).schedule("a", wake, Duration.zero)
      for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]) {
        assert.deepStrictEqual(yield* Effect.flip(take(() => Effect.fail("refused"))), "refused")
        yield* pass(Duration.seconds(minutes * 60 - 10))
        assert.deepStrictEqual(yield* due, [], `before ${minutes} minutes`)
        yield* pass("10 seconds")
      }
      assert.deepStrictEqual(yield* due, ["a"])
    })
  )

  story(
    "one that is interrupted is due at once, and no later for it",
    Effect.fnUntraced(function* () {
      yield* (yield* Wakes).schedule("a", wake, Duration.zero)
      for (let time = 0; time < 3; time++) {
        const { fiber, id } = yield* holding
        assert.strictEqual(id, "a")
        assert.deepStrictEqual(yield* due, [], "it is somebody's")
        yield* Fiber.interrupt(fiber)
      }
      assert.deepStrictEqual(yield* due, ["a"])
    })
  )

  story(
    "one is part of the transaction in which it is scheduled",
    Effect.fnUntraced(function* () {
      const { schedule } = yield* Wakes
      const { take } = yield* Wakes
      const { atomically } = yield* Transactions
      yield* Effect.ignore(atomically(Effect.andThen(schedule("a", wake, Duration.zero), Effect.fail("no, after all"))))
      assert.deepStrictEqual(yield* due, [])

      const taken = yield* Effect.forkChild(
        take((_, id) => Effect.succeed(id)),
        { startImmediately: true }
      )
      yield* atomically(
        Effect.gen(function* () {
          yield* schedule("b", wake, Duration.zero)
          yield* Effect.promise(() => new Promise((done) => setTimeout(done, 200)))
          assert.isUndefined(taken.pollUnsafe(), "not committed yet")
        })
      )
      // Long before the next look at the table.
      assert.strictEqual(yield* Effect.timeout(Fiber.join(taken), "15 seconds"), "b")
    })
  )
})

postgresStoriesOf("Wakes of replicas", (story) => {
  story(
    "go to one of them each",
    Effect.fnUntraced(function* () {
      const { schedule } = yield* Wakes
      const ids = Array.from({ length: 30 }, (_, index) => `wake-${index}`)
      yield* Effect.forEach(ids, (id) => schedule(id, wake, Duration.zero))
      const replicas = yield* Effect.all([replica, replica, replica])
      const taken = yield* Effect.forEach(replicas, (_) => Effect.provide(due, _), { concurrency: "unbounded" })
      assert.sameMembers(taken.flat(), ids)
      assert.strictEqual(taken.flat().length, ids.length)
    })
  )

  story(
    "go to another one when a replica is gone, and not before",
    Effect.fnUntraced(function* () {
      yield* (yield* Wakes).schedule("a", wake, Duration.zero)
      const dead = yield* Effect.provide(holding, yield* replica)
      assert.strictEqual(dead.id, "a")
      yield* pass("2 minutes")
      assert.deepStrictEqual(yield* due, [])
      yield* pass("1 minute")
      assert.deepStrictEqual(yield* due, ["a"])
    })
  )

  story(
    "are not asked for more often than needed",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forkScoped((yield* Wakes).take(() => Effect.void))
      yield* Effect.sleep("500 millis")
      const statements = Effect.andThen(
        sql`SELECT pg_stat_force_next_flush()`,
        sql<{ scans: number }>`
          SELECT (seq_scan + COALESCE(idx_scan, 0))::int AS scans FROM pg_stat_user_tables WHERE relname = 'portico_wakes'`
      ).pipe(Effect.map((_) => _[0]?.scans))
      const before = yield* statements
      yield* Effect.sleep("3 seconds")
      assert.strictEqual(yield* statements, before)
    })
  )

  story(
    "have tables and migrations of their own, which replicas that start together make once",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const started = yield* Effect.exit(
        Effect.all(
          Array.from({ length: 4 }, () => replica),
          { concurrency: "unbounded" }
        )
      )
      assert.isTrue(Exit.isSuccess(started))
      const tables = yield* sql<{ name: string }>`
        SELECT relname AS name FROM pg_stat_user_tables WHERE relname LIKE 'portico%' ORDER BY 1`
      assert.deepStrictEqual(
        tables.map((_) => _.name),
        ["portico_migrations", "portico_wakes", "portico_wakes_migrations"]
      )
      assert.isTrue(Option.isNone(yield* Effect.timeoutOption((yield* Wakes).take(Effect.succeed), "100 millis")))
    })
  )
})
