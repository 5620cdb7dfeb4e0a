import { Clock, Duration, Effect } from "effect"

/** How far a cloud's own time is ahead of its callers'. Part of the saved state, so that its time never goes back. */
export interface ClockState {
  aheadMillis: number
}

/** A century: later, dates would no longer have the form that clients read. */
export const furthestAheadMillis = 100 * 366 * 24 * 3600 * 1000

/** A new cloud has the time of its callers. */
export const clock = (): ClockState => ({ aheadMillis: 0 })

/** The time of one cloud: that of the caller's clock, and how far it was moved on. */
export class CloudClock {
  private readonly ahead: () => number
  private readonly sleepers = new Set<() => void>()

  constructor(ahead: () => number) {
    this.ahead = ahead
  }

  /** Wakes every sleeper, because the clock was moved: those that are due go on, the others sleep for the rest. */
  readonly moved = (): void => {
    const all = [...this.sleepers]
    this.sleepers.clear()
    for (const wake of all) wake()
  }

  private readonly nextMove = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    this.sleepers.add(wake)
    return Effect.sync(() => void this.sleepers.delete(wake))
  })

  /** The clock of what the cloud does for a caller with this clock: the live one, or a test's. */
  over(base: Clock.Clock): Clock.Clock {
    const millis = () => base.currentTimeMillisUnsafe() + this.ahead()
    const aheadNanos = () => BigInt(this.ahead()) * 1_000_000n
    const nanos = () => base.currentTimeNanosUnsafe() + aheadNanos()
    const monotonic = () => base.monotonicTimeNanosUnsafe() + aheadNanos()
    const elapsed = () => Number(base.monotonicTimeNanosUnsafe()) / 1e6 + this.ahead()
    const sleepUntil = (end: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        const left = end - elapsed()
        if (left <= 0) return Effect.void
        const slept = Effect.as(base.sleep(Duration.millis(left)), true)
        const isDone = Effect.raceFirst(slept, Effect.as(this.nextMove, false))
        return Effect.flatMap(isDone, (_) => (_ ? Effect.void : sleepUntil(end)))
      })
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => Effect.suspend(() => sleepUntil(elapsed() + Duration.toMillis(duration)))
    }
  }

  /** Runs an effect on the cloud's own time. */
  readonly provide = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((base) => Effect.provideService(effect, Clock.Clock, this.over(base)))
}
