import { assert } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Exit, Fiber, Ref, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Credentials } from "../src/Credentials.ts"
import { Journal, lease } from "../src/Journal.ts"
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
    "what the effect answers is answered, and how it fails is how it fails",
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
    "a transaction inside another fails by itself",
    Effect.fnUntraced(function* () {
      const inner = Effect.flip(atomically(Effect.fail(refused)))

      assert.strictEqual(yield* atomically(inner), refused)
      assert.strictEqual(yield* exclusively(inner), refused)
    })
  )

  story(
    "one at a time is inside the lock",
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
    "the lock is free again when its holder fails, breaks, or is interrupted",
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
})

postgresStoriesOf("Transactions of several replicas", (story) => {
  story(
    "what is written is seen by others when all of it is",
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
    "nothing stays of a transaction that fails, breaks, or is interrupted",
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
    "nothing stays of an inner transaction that fails, and what is around it stays",
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
    "a database failure that is swallowed inside does not pass for a transaction that took",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient

      const exit = yield* Effect.exit(atomically(Effect.andThen(insert, Effect.ignore(sql`SELECT 1 / 0`))))

      assert.isTrue(Exit.hasDies(exit))
      assert.isUndefined(yield* found)
    })
  )

  story(
    "one replica at a time is inside the lock",
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
    "another replica enters the lock when its holder fails, breaks, is interrupted, or loses its connection",
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
    "a lease that is taken after a wait for the lock is as long as any",
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
})
