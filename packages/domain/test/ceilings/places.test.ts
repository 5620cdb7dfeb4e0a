import { assert, describe, it } from "@effect/vitest"
import { Places } from "@portico/domain/ceilings/Places"
import { Effect } from "effect"

const refused = { ofOne: () => "one" as const, inAll: () => "all" as const }

/** Each owner takes places until it is refused. */
const filled = Effect.fnUntraced(function* (places: Places, owners: number) {
  for (let owner = 0; owner < owners; owner += 1) {
    for (;;) {
      const said = yield* Effect.match(places.enter(`owner-${owner}`, refused), {
        onFailure: (_) => _,
        onSuccess: () => "taken" as const
      })
      if (said !== "taken") break
    }
  }
})

describe("places", () => {
  // The ceilings of streams, and of audit exports, which is as low as those that still get one.
  for (const [ofOne, inAll] of [
    [100, 2000],
    [3, 21],
    [2, 20]
  ] as const) {
    it.effect(`${ofOne} of ${inAll}: owners at their ceilings keep no other one from its first`, () =>
      Effect.gen(function* () {
        const places = new Places(ofOne, inAll)
        yield* filled(places, inAll / ofOne)
        yield* places.enter("another", refused)
        assert.isAtMost(places.all, inAll)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("one owner has all of its own while there is room", () =>
    Effect.gen(function* () {
      for (const ofOne of [1, 2, 3]) {
        const places = new Places(ofOne, 20)
        yield* filled(places, 1)
        assert.strictEqual(places.all, ofOne)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("a place is given back once, before the scope ends or with it", () =>
    Effect.gen(function* () {
      const places = new Places(2, 20)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const leave = yield* places.take("owner", refused)
          yield* places.enter("owner", refused)
          leave()
          leave()
          assert.strictEqual(places.all, 1)
        })
      )
      assert.strictEqual(places.all, 0)
    })
  )
})
