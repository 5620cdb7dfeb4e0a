import { assert, it } from "@effect/vitest"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { Deferred, Effect, Fiber } from "effect"

/** A look-up that ends when the test says so, and how often it began and was cut off. */
const prepared = Effect.gen(function* () {
  const flights = yield* singleFlight<string, string>()
  const end = yield* Deferred.make<string, string>()
  const seen = { begun: 0, cutOff: 0 }
  const lookup = Effect.suspend(() => {
    seen.begun += 1
    return Effect.onInterrupt(Deferred.await(end), () => Effect.sync(() => (seen.cutOff += 1)))
  })
  const asking = Effect.forkChild(flights.get("key", lookup), { startImmediately: true })
  return { asking, end, flights, lookup, seen }
})

it.effect("concurrent callers share one look-up, and the next caller starts another", () =>
  Effect.gen(function* () {
    const { asking, end, flights, lookup, seen } = yield* prepared
    const all = yield* Effect.all([asking, asking, asking])
    assert.isTrue(yield* flights.isUnderWay("key"))
    assert.isFalse(yield* flights.isUnderWay("another"))
    yield* Deferred.succeed(end, "found")
    assert.deepStrictEqual(yield* Effect.forEach(all, Fiber.join), ["found", "found", "found"])
    assert.strictEqual(seen.begun, 1)
    assert.isFalse(yield* flights.isUnderWay("key"))
    yield* flights.get("key", lookup)
    assert.strictEqual(seen.begun, 2)
  })
)

it.effect("a failure reaches every concurrent caller, and no later one", () =>
  Effect.gen(function* () {
    const { asking, end, flights, seen } = yield* prepared
    const all = yield* Effect.all([asking, asking])
    yield* Deferred.fail(end, "broken")
    for (const one of all) assert.strictEqual(yield* Effect.flip(Fiber.join(one)), "broken")
    assert.strictEqual(yield* flights.get("key", Effect.succeed("whole")), "whole")
    assert.strictEqual(seen.begun, 1)
  })
)

it.effect("an interrupted caller leaves the look-up to others, and the last one ends it", () =>
  Effect.gen(function* () {
    const { asking, flights, seen } = yield* prepared
    const [first, last] = yield* Effect.all([asking, asking])
    yield* Fiber.interrupt(first)
    assert.deepStrictEqual(seen, { begun: 1, cutOff: 0 })
    yield* Fiber.interrupt(last)
    assert.deepStrictEqual(seen, { begun: 1, cutOff: 1 })
    assert.isFalse(yield* flights.isUnderWay("key"))
  })
)

it.effect("a caller after forget does not get the earlier look-up's result", () =>
  Effect.gen(function* () {
    const { asking, end, flights } = yield* prepared
    const before = yield* asking
    yield* flights.forget("key")
    assert.strictEqual(yield* flights.get("key", Effect.succeed("new")), "new")
    yield* Deferred.succeed(end, "old")
    assert.strictEqual(yield* Fiber.join(before), "old")
  })
)
