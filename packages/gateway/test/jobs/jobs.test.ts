import { assert, it } from "@effect/vitest"
import { inBatches, type Job, job, stoppingTogether } from "@portico/gateway/jobs/job"
import { Clock, Duration, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"

/** How many rounds a job has begun after so many seconds each. */
const roundsAfter = (seconds: ReadonlyArray<number>, of: Partial<Job<never, never>>) =>
  Effect.scoped(
    Effect.gen(function* () {
      let rounds = 0
      yield* job({ name: "tidy_up", every: Duration.seconds(10), round: Effect.sync(() => (rounds += 1)), ...of })
      return yield* Effect.forEach(seconds, (_) => Effect.map(TestClock.adjust(Duration.seconds(_)), () => rounds))
    })
  )

it.effect("a job begins after an interval, and then once in each", () =>
  Effect.map(roundsAfter([0, 9, 1, 10, 20], {}), (_) => assert.deepStrictEqual(_, [0, 0, 1, 2, 4]))
)

it.effect("a job begins according to its row, in its number of workers, or not at all", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* roundsAfter([0, 10], { after: Duration.zero }), [1, 2])
    assert.deepStrictEqual(yield* roundsAfter([10, 10], { workers: 4 }), [4, 8])
    assert.deepStrictEqual(yield* roundsAfter([10, 10], { when: false }), [0, 0])
  })
)

it.effect("a round that fails, or a wait that ends early, does not end the job", () =>
  Effect.gen(function* () {
    let tries = 0
    const round = Effect.andThen(
      Effect.sync(() => (tries += 1)),
      Effect.die("broken")
    )
    yield* roundsAfter([10, 10, 10], { round })
    assert.strictEqual(tries, 3)
    const hurried = { after: Duration.zero, pause: () => Effect.sleep("2 seconds") }
    assert.deepStrictEqual(yield* roundsAfter([0, 2, 2], hurried), [1, 2, 3])
  })
)

it.effect("jobs stop all at once, even with a slow one", () =>
  Effect.gen(function* () {
    const stopped: Array<number> = []
    const slow = Effect.onInterrupt(Effect.never, () =>
      Effect.andThen(
        Effect.sleep("3 seconds"),
        Effect.map(Clock.currentTimeMillis, (_) => stopped.push(_))
      )
    )
    const scope = yield* Scope.make()
    const jobs = [1, 2, 3].map((_) => job({ name: `slow_${_}`, every: Duration.zero, round: slow }))
    yield* Effect.provideService(stoppingTogether(Effect.all(jobs)), Scope.Scope, scope)
    yield* TestClock.adjust("1 second")
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("3 seconds")
    assert.deepStrictEqual(stopped, [4000, 4000, 4000])
    yield* Fiber.join(closing)
  })
)

it.effect("a round deletes batch by batch, until one is not full", () =>
  Effect.gen(function* () {
    for (const [expired, batches] of [
      [0, 1],
      [9, 1],
      [10, 2],
      [25, 3]
    ] as const) {
      let [left, deleted] = [expired, 0]
      const prune = Effect.sync(() => {
        const count = Math.min(left, 10)
        left -= count
        deleted += 1
        return count
      })
      yield* inBatches(10, prune)
      assert.deepStrictEqual([left, deleted], [0, batches])
    }
  })
)
