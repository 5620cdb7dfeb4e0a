import { assert, describe, it } from "@effect/vitest"
import { Slots } from "@portico/domain/limits/Slots"
import { threadCounts, threadMemory, Threads } from "@portico/domain/limits/Threads"
import { Effect, Result } from "effect"

const refused = { ofOne: () => "one" as const, inAll: () => "all" as const }

/** Each owner takes slots until it is refused, or has more than any is to have. */
const filled = Effect.fnUntraced(function* (slots: Slots, owners: number) {
  for (let owner = 0; owner < owners; owner += 1) {
    for (let tries = 0; tries < 1000; tries++) {
      const said = yield* Effect.match(slots.enter(`owner-${owner}`, refused), {
        onFailure: (_) => _,
        onSuccess: () => "taken" as const
      })
      if (said !== "taken") break
    }
  }
})

/** Of one thread, and of the first of two. */
const counted = {
  "counted by one thread": (ofOne: number, inAll: number) => Slots.make("calls", ofOne, inAll),
  "counted by all threads": (ofOne: number, inAll: number) =>
    Effect.provideService(Slots.make("calls", ofOne, inAll), Threads, threadCounts(threadMemory(2), 0))
}

describe.each(Object.entries(counted))("places %s", (_, made) => {
  // The ceilings of streams, and of audit exports, which is as low as those that still get one.
  for (const [ofOne, inAll] of [
    [100, 2000],
    [3, 21],
    [2, 20]
  ] as const) {
    it.effect(`${ofOne} of ${inAll}: owners at their ceilings leave others their first`, () =>
      Effect.gen(function* () {
        const slots = yield* made(ofOne, inAll)
        yield* filled(slots, inAll / ofOne)
        yield* slots.enter("another", refused)
        assert.isAtMost(slots.all, inAll)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("one owner has all of its own while there is space", () =>
    Effect.gen(function* () {
      for (const ofOne of [1, 2, 3]) {
        const slots = yield* made(ofOne, 20)
        yield* filled(slots, 1)
        assert.strictEqual(slots.all, ofOne)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("a place is released once, before the scope ends or with it", () =>
    Effect.gen(function* () {
      const slots = yield* made(2, 20)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const leave = yield* slots.take("owner", refused)
          yield* slots.enter("owner", refused)
          leave()
          leave()
          assert.strictEqual(slots.all, 1)
        })
      )
      assert.strictEqual(slots.all, 0)
    })
  )
})

describe("two threads", () => {
  const of = (memory: ReturnType<typeof threadMemory>, index: number) =>
    Effect.provideService(Slots.make("calls", 3, 20), Threads, threadCounts(memory, index))
  const taken = (slots: Slots, owner: string | undefined) => slots.takeNow(owner, refused)

  it.effect("count an owner's places together, and each releases its own", () =>
    Effect.gen(function* () {
      const memory = threadMemory(2)
      const [one, other] = [yield* of(memory, 0), yield* of(memory, 1)]
      const leave = Result.getOrThrow(taken(one, "acme"))
      for (const slots of [one, other]) assert.isTrue(Result.isSuccess(taken(slots, "acme")))
      assert.deepStrictEqual([one.all, other.all], [2, 1])
      for (const slots of [one, other]) assert.deepStrictEqual(taken(slots, "acme"), Result.fail("one"))
      assert.isTrue(Result.isSuccess(taken(other, "globex")))
      assert.isTrue(Result.isSuccess(taken(other, undefined)))
      leave()
      assert.isTrue(Result.isSuccess(taken(other, "acme")))
      assert.deepStrictEqual(taken(one, "acme"), Result.fail("one"))
    })
  )

  it.effect("share the total, and release the slots of a thread that ended", () =>
    Effect.gen(function* () {
      const memory = threadMemory(2)
      const [one, other] = [yield* of(memory, 0), yield* of(memory, 1)]
      for (let owner = 0; owner < 20; owner++) taken(owner % 2 === 0 ? one : other, `owner-${owner}`)
      for (const slots of [one, other]) assert.deepStrictEqual(taken(slots, "another"), Result.fail("all"))
      threadCounts(memory, 0).slots.clear(1)
      for (let owner = 0; owner < 10; owner++) assert.isTrue(Result.isSuccess(taken(one, `late-${owner}`)))
      assert.deepStrictEqual(taken(one, "another"), Result.fail("all"))
    })
  )
})
