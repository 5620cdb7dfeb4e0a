import { assert, layer } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Ref, Schema } from "effect"
import { Credentials } from "../src/Credentials.ts"
import { Tenants } from "../src/Tenants.ts"
import { Transactions } from "../src/Transactions.ts"
import { credential } from "./credential.ts"
import { killSessions, replica, sessionsWaiting } from "./replica.ts"
import { storiesOf } from "./stories.ts"
import { TestDatabase } from "./TestDatabase.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", { why: Schema.String }) {}

const refused = new Refused({ why: "the budget is used up" })

const exclusively = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transactions, (_) => _.exclusively("admission", effect))

const atomically = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Transactions, (_) => _.atomically(effect))

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

      const counts = yield* Effect.all(Array.from({ length: 8 }, () => exclusively(enter)), {
        concurrency: "unbounded"
      })

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
      const entered = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(exclusively(Effect.andThen(Deferred.succeed(entered, undefined), Effect.never)))
      yield* Deferred.await(entered)
      yield* Fiber.interrupt(holder)
      assert.strictEqual(yield* exclusively(Effect.succeed("entered")), "entered")
    })
  )
})

const insert = Effect.flatMap(Credentials, (credentials) => credentials.insert(credential("1")))

const found = Effect.flatMap(Credentials, (credentials) => credentials.find("1"))
