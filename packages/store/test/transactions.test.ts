import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Exit, Fiber, Ref, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Credentials } from "../src/Credentials.ts"
import { Journal, lease } from "../src/Journal.ts"
import { type NewTarget, Targets } from "../src/Targets.ts"
import { Transactions } from "../src/Transactions.ts"
import { credential } from "./credential.ts"
import { killSessions, replica, sessionsWaiting } from "./replica.ts"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", { why: Schema.String }) {}

const refused = new Refused({ why: "the budget is used up" })

const exclusively = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transactions, (_) => _.exclusively("admission", effect))

const atomically = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transactions, (_) => _.atomically(effect))

const target = (id: string): NewTarget => ({
  target_id: id,
  project_id: "project-1",
  kind: "webhook",
  name: null,
  settings: {},
  secrets: [],
  topics: [],
  kinds: [],
  from_sequence: 0,
  state: "active",
  created_by: "user",
  of_agent: false
})

const insert = Effect.flatMap(Credentials, (credentials) => credentials.insert(credential("1")))

const found = Effect.flatMap(Credentials, (credentials) => credentials.find("1"))

/** Somebody who is inside the lock until told how to end. */
const held = Effect.gen(function* () {
  const entered = yield* Deferred.make<void>()
  const ending = yield* Deferred.make<Effect.Effect<unknown, Refused>>()
  const inside = Effect.andThen(Deferred.succeed(entered, undefined), Effect.flatten(Deferred.await(ending)))
  const holder = yield* Effect.forkScoped(exclusively(Effect.andThen(insert, inside)))
  yield* Deferred.await(entered)
  return { holder, end: (how: Effect.Effect<unknown, Refused>) => Deferred.succeed(ending, how) }
})
type Holder = Effect.Success<typeof held>

storiesOf("Transactions", (story) => {
  story(
    "a transaction returns the effect's value, and fails as the effect fails",
    Effect.fnUntraced(function* () {
      for (const within of [atomically, exclusively]) {
        assert.strictEqual(yield* within(Effect.succeed(1)), 1)
        assert.strictEqual(yield* Effect.flip(within(Effect.fail(refused))), refused)
        // Even a failure that looks like the database's own.
        assert.deepStrictEqual(yield* Effect.flip(within(Effect.fail({ _tag: "SqlError" }))), { _tag: "SqlError" })
        const died = yield* Effect.exit(within(Effect.die("broken")))
        assert.deepStrictEqual(died, Exit.die("broken"))
      }
    })
  )

  story(
    "an inner transaction fails by itself",
    Effect.fnUntraced(function* () {
      const inner = Effect.flip(atomically(Effect.fail(refused)))

      assert.strictEqual(yield* atomically(inner), refused)
      assert.strictEqual(yield* exclusively(inner), refused)
    })
  )

  story(
    "the lock admits one at a time",
    Effect.fnUntraced(function* () {
      const inside = yield* Ref.make(0)
      const enter = Effect.acquireUseRelease(
        Ref.updateAndGet(inside, (_) => _ + 1),
        (count) => Effect.as(Effect.yieldNow, count),
        () => Ref.update(inside, (_) => _ - 1)
      )

      const counts = yield* Effect.all(
        Array.from({ length: 8 }, () => exclusively(enter)),
        {
          concurrency: "unbounded"
        }
      )

      assert.deepStrictEqual(counts, [1, 1, 1, 1, 1, 1, 1, 1])
    })
  )

  story(
    "the lock is released when its holder fails, dies or is interrupted",
    Effect.fnUntraced(function* () {
      for (const end of [Effect.fail(refused), Effect.die("broken"), Effect.interrupt]) {
        yield* Effect.exit(exclusively(end))
        assert.strictEqual(yield* exclusively(Effect.succeed("entered")), "entered")
      }
      const { holder } = yield* held
      yield* Fiber.interrupt(holder)
      assert.strictEqual(yield* exclusively(Effect.succeed("entered")), "entered")
    })
  )

  story(
    "a transaction that fails, dies or is interrupted is rolled back",
    Effect.fnUntraced(function* () {
      for (const within of [atomically, exclusively]) {
        for (const end of [Effect.fail(refused), Effect.die("broken"), Effect.interrupt]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(within(Effect.andThen(insert, end)))))
          assert.isUndefined(yield* found)
        }
      }
    })
  )

  story(
    "an inner transaction that fails is rolled back, and the outer one stays",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials

      yield* atomically(
        Effect.gen(function* () {
          yield* insert
          const second = Effect.andThen(credentials.insert(credential("2")), Effect.fail(refused))
          yield* Effect.flip(atomically(second))
        })
      )

      assert.isDefined(yield* found)
      assert.isUndefined(yield* credentials.find("2"))
    })
  )

  story(
    "a failed transaction restores added, changed and removed rows, in their order",
    Effect.fnUntraced(function* () {
      const targets = yield* Targets
      for (const id of ["a", "b", "c"]) yield* targets.insert(target(id))
      const before = yield* targets.list("project-1")

      const writes = Effect.gen(function* () {
        yield* targets.change("project-1", "c", { name: "another" })
        yield* targets.remove("project-1", "a")
        yield* targets.change("project-1", "b", { name: "another" })
        yield* targets.remove("project-1", "b")
        yield* targets.insert(target("d"))
      })
      yield* Effect.exit(atomically(Effect.andThen(writes, Effect.fail(refused))))

      assert.deepStrictEqual(yield* targets.list("project-1"), before)
    })
  )

  story(
    "concurrent writes of others stay when a transaction fails",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const { end, holder } = yield* held

      yield* credentials.insert(credential("2", { project_id: "project-2" }))
      const third = yield* Effect.forkScoped(
        atomically(credentials.insert(credential("3", { project_id: "project-3" })))
      )
      yield* Effect.yieldNow
      yield* end(Effect.fail(refused))

      assert.isTrue(Exit.isFailure(yield* Fiber.await(holder)))
      yield* Fiber.join(third)
      assert.isUndefined(yield* found)
      assert.isDefined(yield* credentials.find("2"))
      assert.isDefined(yield* credentials.find("3"))
    })
  )

  story(
    "a transaction that is interrupted while it waits is rolled back",
    Effect.fnUntraced(function* () {
      const { holder } = yield* held

      yield* Fiber.interrupt(holder)

      assert.isUndefined(yield* found)
    })
  )

  story(
    "forked fibers that it waits for are part of it, and open inner transactions",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const children = Effect.forEach(["1", "2"], (id) => atomically(credentials.insert(credential(id))), {
        concurrency: "unbounded"
      })

      yield* Effect.exit(atomically(Effect.andThen(children, Effect.fail(refused))))
      assert.isUndefined(yield* found)

      yield* atomically(children)
      assert.isDefined(yield* found)
      assert.isDefined(yield* credentials.find("2"))
    })
  )

  story(
    "its changes are notified after the commit, and never after a rollback",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      yield* Effect.forEach(["1", "2", "3"], (_) => credentials.insert(credential(_)))
      const heard: Array<string> = []
      const two = yield* (yield* credentials.changes).pipe(
        Stream.take(2),
        Stream.runForEach((_) => Effect.sync(() => void heard.push(_))),
        Effect.forkScoped({ startImmediately: true })
      )

      yield* Effect.exit(atomically(Effect.andThen(credentials.revoke("1"), Effect.fail(refused))))
      yield* atomically(
        Effect.gen(function* () {
          yield* credentials.revoke("2")
          yield* Effect.exit(atomically(Effect.andThen(credentials.revoke("1"), Effect.fail(refused))))
          yield* atomically(credentials.revoke("3"))
          for (let turns = 0; turns < 10; turns++) yield* Effect.yieldNow
          assert.deepStrictEqual(heard, [], "not committed yet")
        })
      )

      yield* Fiber.join(two)
      assert.deepStrictEqual(heard, ["user-2", "user-3"])
    })
  )
})

postgresStoriesOf("Transactions of several replicas", (story) => {
  story(
    "others see all writes at once, after the commit",
    Effect.fnUntraced(function* () {
      const other = yield* replica

      yield* atomically(
        Effect.gen(function* () {
          yield* insert
          assert.isDefined(yield* found)
          assert.isUndefined(yield* Effect.provide(found, other))
        })
      )

      assert.isDefined(yield* Effect.provide(found, other))
    })
  )

  story(
    "a swallowed database failure makes the transaction fail",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient

      const exit = yield* Effect.exit(atomically(Effect.andThen(insert, Effect.ignore(sql`SELECT 1 / 0`))))

      assert.isTrue(Exit.hasDies(exit))
      assert.isUndefined(yield* found)
    })
  )

  story(
    "the lock admits one replica at a time",
    Effect.fnUntraced(function* () {
      const { end, holder } = yield* held
      const other = yield* replica
      const waiting = yield* Effect.forkScoped(Effect.provide(exclusively(found), other))
      yield* sessionsWaiting(1)

      yield* end(Effect.void)

      yield* Fiber.join(holder)
      assert.isDefined(yield* Fiber.join(waiting), "the second sees what the first has written")
    })
  )

  story(
    "another replica gets the lock when its holder fails, dies, is interrupted or disconnects",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const other = yield* replica
      const endings: ReadonlyArray<(holder: Holder) => Effect.Effect<unknown, unknown, SqlClient.SqlClient>> = [
        ({ end }) => end(Effect.fail(refused)),
        ({ end }) => end(Effect.die("broken")),
        ({ holder }) => Fiber.interrupt(holder),
        () => killSessions(sql`state = 'idle in transaction'`)
      ]
      for (const ending of endings) {
        const holder = yield* held
        const waiting = yield* Effect.forkScoped(Effect.provide(exclusively(found), other))
        yield* sessionsWaiting(1)
        yield* ending(holder)
        assert.isUndefined(yield* Fiber.join(waiting))
      }
    })
  )

  story(
    "waiting for the lock can be interrupted",
    Effect.fnUntraced(function* () {
      const { holder } = yield* held
      const waiting = yield* Effect.forkScoped(Effect.provide(exclusively(insert), yield* replica))
      yield* sessionsWaiting(1)

      yield* Fiber.interrupt(waiting)

      yield* sessionsWaiting(0)
      yield* Fiber.interrupt(holder)
      assert.isUndefined(yield* found)
    })
  )

  story(
    "a lease that is taken after a wait for the lock has its full length",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const journal = yield* Journal
      const entry = { attempt_id: "attempt-1", name: "Acme GmbH", slug: "acme", tier: "standard", steps: [] } as const

      const { begun, opened } = yield* exclusively(
        Effect.gen(function* () {
          yield* sql`SELECT pg_sleep(0.01)`
          const [row] = yield* sql<{ begun: Date }>`SELECT now() AS begun`
          return { begun: DateTime.fromDateUnsafe(row!.begun), opened: yield* journal.open(entry) }
        })
      )

      assert.isAbove(Duration.toMillis(DateTime.distance(begun, opened.lease_ends)), Duration.toMillis(lease))
    })
  )

  story(
    "a process that is frozen inside the lock loses it",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const idleTime = sql<{ idle: string }>`SELECT current_setting('idle_in_transaction_session_timeout') AS idle`
      assert.deepStrictEqual(yield* exclusively(idleTime), [{ idle: "30s" }])
      assert.deepStrictEqual(yield* idleTime, [{ idle: "0" }])
    })
  )
})

it("every advisory lock is lost by a frozen process", () => {
  const sources = join(import.meta.dirname, "../src")
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((_) => _.endsWith(".ts"))
  const locking = files.filter((_) => readFileSync(join(sources, _), "utf8").includes("pg_advisory"))
  assert.deepStrictEqual(locking, ["rows.ts"])
})
