import { assert, describe, it } from "@effect/vitest"
import { orLogged } from "@portico/domain/work/orLogged"
import { reconcile } from "@portico/domain/work/reconcile"
import { growingPause } from "@portico/store/leased"
import { Duration, Effect, Exit, Fiber } from "effect"

/** Rows that are due, and how a step ends of those that do not end well. */
const due = (rows: ReadonlyArray<number>, ends: Readonly<Record<number, Effect.Effect<void, string>>> = {}) => {
  const waiting = [...rows]
  const seen: Array<number> = []
  const claims: Array<number> = []
  const claimOf = (limit: number) =>
    Effect.sync(() => {
      const taken = waiting.splice(0, limit)
      claims.push(taken.length)
      return taken
    })
  const step = (row: number) =>
    Effect.andThen(
      Effect.sync(() => seen.push(row)),
      ends[row] ?? Effect.void
    )
  return { claimOf, claims, seen, step }
}

describe("due rows", () => {
  it.effect("are claimed until a claim is not full, and counted", () =>
    Effect.gen(function* () {
      const { claimOf, claims, seen, step } = due([1, 2, 3, 4, 5])
      assert.strictEqual(yield* reconcile({ what: "a row", claim: claimOf(2), batch: 2, step }), 5)
      assert.deepStrictEqual(
        [claims, seen],
        [
          [2, 2, 1],
          [1, 2, 3, 4, 5]
        ]
      )
    })
  )

  it.effect("are claimed once if a claim takes all, for any length of the steps", () =>
    Effect.gen(function* () {
      const { claimOf, claims, step } = due([1, 2, 3])
      assert.strictEqual(yield* reconcile({ what: "a row", claim: claimOf(2), step }), 2)
      assert.deepStrictEqual(claims, [2])
    })
  )

  it.effect("are processed although an earlier row fails", () =>
    Effect.gen(function* () {
      const { claimOf, seen, step } = due([1, 2, 3], { 1: Effect.fail("refused") })
      assert.strictEqual(yield* reconcile({ what: "a row", claim: claimOf(9), step }), 3)
      assert.deepStrictEqual(seen, [1, 2, 3])
    })
  )

  it.effect("are processed although an earlier row dies, and the round fails", () =>
    Effect.gen(function* () {
      const { claimOf, seen, step } = due([1, 2, 3], { 1: Effect.die("broken") })
      const exit = yield* Effect.exit(reconcile({ what: "a row", claim: claimOf(2), batch: 2, step }))
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(seen, [1, 2, 3])
    })
  )

  it.effect("are left to others by a process that stops", () =>
    Effect.gen(function* () {
      const { claimOf, seen, step } = due([1, 2], { 1: Effect.never })
      const fiber = yield* Effect.forkChild(reconcile({ what: "a row", claim: claimOf(9), step }))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.deepStrictEqual(seen, [1])
    })
  )
})

it.effect("an interruption does not run the fallback", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(orLogged(Effect.interrupt, "it is broken", Effect.succeed("otherwise")))
    assert.isTrue(Exit.hasInterrupts(exit))
  })
)

it("a pause doubles from the first up to the longest, for any number of failures", () => {
  const pause = growingPause({ first: Duration.seconds(5), longest: Duration.minutes(5) })
  const seconds = [0, 1, 2, 3, 6, 7, 8, 1000].map((_) => Duration.toSeconds(pause(_)))
  assert.deepStrictEqual(seconds, [5, 5, 10, 20, 160, 300, 300, 300])
})
