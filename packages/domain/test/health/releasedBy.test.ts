import { releasedBy, Stopping } from "@portico/domain/health/Stopping"
import { assert, it } from "@effect/vitest"
import { inTime } from "@portico/testing/clock"
import { Clock, Duration, Effect, Exit, Layer, Logger, Scope } from "effect"

/** A layer that notes when its release has ended, in seconds; it takes that long. */
const slow = (name: string, takes: Duration.Input, notes: Array<string>) =>
  Layer.effectDiscard(
    Effect.addFinalizer(() =>
      Effect.gen(function* () {
        notes.push(`${name} begins at ${yield* second}`)
        yield* Effect.sleep(takes)
        notes.push(`${name} ends at ${yield* second}`)
      })
    )
  )

const second = Effect.map(Clock.currentTimeMillis, (_) => _ / 1000)

/** Stops what is built; the second at which that ended. */
const stopped = <E>(layer: Layer.Layer<never, E, Stopping>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Layer.provide(layer, Stopping.layer), scope)
    yield* inTime(Scope.close(scope, Exit.void))
    return yield* second
  })

const within = (seconds: number) => releasedBy(Duration.seconds(seconds))

it.effect("a release within its time is awaited, one after the other", () =>
  Effect.gen(function* () {
    const notes: Array<string> = []
    const above = within(5)(slow("above", "3 seconds", notes))
    const below = within(5)(slow("below", "1 second", notes))
    assert.strictEqual(yield* stopped(Layer.provideMerge(above, below)), 4)
    assert.deepStrictEqual(notes, ["above begins at 0", "above ends at 3", "below begins at 3", "below ends at 4"])
  })
)

it.effect("a longer release continues beside the next one, and is logged", () => {
  const lines: Array<string> = []
  return Effect.gen(function* () {
    const notes: Array<string> = []
    const above = within(2)(slow("above", "10 seconds", notes))
    const below = within(30)(slow("below", "20 seconds", notes))
    assert.strictEqual(yield* stopped(Layer.provideMerge(above, below)), 22)
    assert.deepStrictEqual(notes, ["above begins at 0", "below begins at 2", "above ends at 10", "below ends at 22"])
    assert.deepStrictEqual(lines, ["the stop leaves what has not ended within 2 seconds to other replicas"])
  }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])))
})

it.effect("deadlines count from the beginning of the stop, and one that has passed leaves no time", () =>
  Effect.gen(function* () {
    const notes: Array<string> = []
    const above = within(6)(slow("above", "5 seconds", notes))
    const below = within(5)(Layer.effectDiscard(Effect.addFinalizer(() => Effect.never)))
    assert.strictEqual(yield* stopped(Layer.provideMerge(above, below)), 5)
  })
)
