import { assert, it } from "@effect/vitest"
import { Transactions } from "@portico/store/Transactions"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { onCommit, Table } from "@portico/testing/store/transaction"
import { Deferred, Effect, Exit, Fiber } from "effect"

const failing = Effect.fnUntraced(function* <A>(writes: Effect.Effect<A>) {
  const { atomically } = yield* Transactions
  return yield* Effect.exit(atomically(Effect.andThen(writes, Effect.fail("no"))))
})

it.layer(MemoryStore.layer)("a transaction in memory", (it) => {
  it.effect("leaves a row as it is when code outside of the transaction has replaced it since", () =>
    Effect.gen(function* () {
      const rows = new Table<string, string>([["a", "before"]])
      const [written, replaced] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const write = Effect.sync(() => {
        rows.set("a", "written")
        rows.set("b", "written")
      })
      const waits = Effect.andThen(Deferred.succeed(written, undefined), Deferred.await(replaced))
      const failed = yield* Effect.forkScoped(failing(Effect.andThen(write, waits)))
      yield* Deferred.await(written)

      rows.set("a", "replaced")
      yield* Deferred.succeed(replaced, undefined)

      assert.isTrue(Exit.isFailure(yield* Fiber.join(failed)))
      assert.deepStrictEqual([...rows], [["a", "replaced"]])
    })
  )

  it.effect("has ended for a fiber that outlives it: onCommit runs at once", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactions
      const over = yield* Deferred.make<void>()
      const told = yield* Deferred.make<void>()
      const tells = Effect.andThen(Deferred.await(over), onCommit(Effect.asVoid(Deferred.succeed(told, undefined))))
      const longer = yield* atomically(Effect.forkDetach(tells))

      yield* Deferred.succeed(over, undefined)
      yield* Fiber.join(longer)

      assert.isTrue(yield* Deferred.isDone(told))
    })
  )
})
