import { Clock, Context, type Duration, Effect, Layer } from "effect"
import { TestGateway } from "../harness/TestGateway.ts"

/** Moves the clock by hand. */
export class StillClock extends Context.Service<StillClock, { set(time: string): Effect.Effect<void> }>()(
  "portico/gateway/test/StillClock"
) {
  /** The clock stands still, while pauses and time limits take real time: only what it shows has to be stable. */
  static readonly layer = Layer.unwrap(
    Effect.map(Clock.Clock, (real) => {
      let now = Date.parse("2026-03-02T09:00:00Z")
      const clock: Clock.Clock = {
        currentTimeMillisUnsafe: () => now,
        currentTimeMillis: Effect.sync(() => now),
        currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: real.monotonicTimeNanos,
        sleep: (duration: Duration.Duration) => real.sleep(duration)
      }
      const set = (time: string) => Effect.sync(() => void (now = Date.parse(time)))
      /** Every call of a test is a second after the one before, so that lists by age have an order. */
      const Ticking = Layer.effect(
        TestGateway,
        Effect.map(TestGateway, ({ call, ...gateway }) => ({
          ...gateway,
          call: (...asked) =>
            Effect.andThen(
              Effect.sync(() => void (now += 1000)),
              call(...asked)
            )
        }))
      )
      return Layer.mergeAll(
        Layer.succeed(StillClock, { set }),
        Ticking.pipe(Layer.provideMerge(TestGateway.layer))
      ).pipe(Layer.provideMerge(Layer.succeed(Clock.Clock, clock)))
    })
  )
}
