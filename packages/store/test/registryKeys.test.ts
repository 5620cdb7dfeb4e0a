import { assert } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { type NewRegistryKey, RegistryKeys } from "../src/RegistryKeys.ts"
import { replica, somebodyWaits } from "./replica.ts"
import { postgresStoriesOf, storiesOf } from "./stories.ts"

const key = (kid: string, signsFrom: number): NewRegistryKey => ({
  kid,
  public_key: { kty: "RSA", n: `n of ${kid}`, e: "AQAB", kid, alg: "RS256", use: "sig" },
  sealed: `sealed ${kid}`,
  signs_from: DateTime.makeUnsafe(Date.UTC(2026, 0, signsFrom))
})

storiesOf("Keys of registry tokens", (story) => {
  story(
    "a key is added after the last one, if that is still the last",
    Effect.fnUntraced(function* () {
      const keys = yield* RegistryKeys
      const kids = Effect.map(keys.list, (rows) => rows.map((_) => _.kid))
      assert.isFalse(yield* keys.add(key("a", 2), "none"))
      assert.isTrue(yield* keys.add(key("a", 2), undefined))
      assert.isFalse(yield* keys.add(key("b", 1), undefined))
      assert.isTrue(yield* keys.add(key("b", 1), "a"))
      assert.deepStrictEqual(yield* kids, ["b", "a"])
      assert.isFalse(yield* keys.add(key("c", 3), "b"))
      assert.isTrue(yield* keys.add(key("c", 3), "a"))
      assert.deepStrictEqual(yield* kids, ["b", "a", "c"])
      const { created_at: _, ...row } = (yield* keys.list)[1]!
      assert.deepStrictEqual(row, key("a", 2))
      yield* keys.reseal("a", "sealed anew")
      yield* keys.reseal("none", "sealed anew")
      assert.deepStrictEqual(
        (yield* keys.list).map((_) => _.sealed),
        ["sealed b", "sealed anew", "sealed c"]
      )
      yield* keys.remove([])
      yield* keys.remove(["a", "b", "none"])
      yield* keys.remove(["a"])
      assert.deepStrictEqual(yield* kids, ["c"])
    })
  )
})

postgresStoriesOf("Keys of registry tokens on several replicas", (story) => {
  story(
    "of all replicas that make the next key, one succeeds",
    Effect.fnUntraced(function* () {
      const replicas = yield* Effect.all([replica, replica, replica])
      const added = yield* Effect.forEach(
        [...replicas, ...replicas, ...replicas],
        (context, i) =>
          Effect.provide(
            Effect.flatMap(RegistryKeys, (_) => _.add(key(`key-${i}`, 1), undefined)),
            context
          ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(added.filter(Boolean), 1)
      assert.lengthOf(yield* (yield* RegistryKeys).list, 1)
    })
  )

  story(
    "an addition waits for a concurrent one, and then adds nothing",
    Effect.fnUntraced(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* RegistryKeys
      const [other, third] = [yield* replica, yield* replica]
      const late = yield* sql.withTransaction(
        Effect.gen(function* () {
          assert.isTrue(yield* keys.add(key("first", 1), undefined))
          const waiting = yield* Effect.forkScoped(
            Effect.provide(
              Effect.flatMap(RegistryKeys, (_) => _.add(key("late", 1), undefined)),
              other
            )
          )
          yield* Effect.provide(somebodyWaits, third)
          return waiting
        })
      )
      assert.isFalse(yield* Fiber.join(late))
    })
  )
})
