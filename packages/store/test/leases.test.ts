import { assert } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Leases } from "../src/Leases.ts"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

storiesOf("a lease", (story) => {
  story("has one holder at a time, and the next one as soon as it is released", () =>
    Effect.gen(function* () {
      const { holding } = yield* Leases
      const seen: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const mayEnd = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        holding(
          "a",
          Effect.gen(function* () {
            seen.push("first in")
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(mayEnd)
            seen.push("first out")
          })
        )
      )
      yield* Deferred.await(begun)
      const second = yield* Effect.forkChild(
        holding(
          "a",
          Effect.sync(() => seen.push("second"))
        )
      )
      yield* holding(
        "b",
        Effect.sync(() => seen.push("another name"))
      )
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(seen, ["first in", "another name", "first out", "second"])
    })
  )

  story("is released when its holder fails or is interrupted", () =>
    Effect.gen(function* () {
      const { holding } = yield* Leases
      assert.strictEqual(yield* Effect.flip(holding("a", Effect.fail("no"))), "no")
      const begun = yield* Deferred.make<void>()
      const endless = yield* Effect.forkChild(
        holding("a", Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(endless)
      assert.strictEqual(yield* holding("a", Effect.succeed(1)), 1)
    })
  )
})

postgresStoriesOf("a lease of a process that died", (story) => {
  story("excludes other processes until it ends", () =>
    Effect.gen(function* () {
      const { holding } = yield* Leases
      const sql = yield* SqlClient.SqlClient
      const left = (ends: string) => sql`
        INSERT INTO leases VALUES ('a', gen_random_uuid(), now() + ${ends}::interval)
        ON CONFLICT (name) DO UPDATE SET lease_ends = EXCLUDED.lease_ends`
      yield* left("300 milliseconds")
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(holding("a", Effect.void))))
      assert.deepStrictEqual(yield* sql`SELECT * FROM leases`, [])
      yield* left("1 minute")
      assert.strictEqual((yield* Effect.flip(holding("a", Effect.die("in"), Duration.millis(200)))).name, "a")
    })
  )
})
