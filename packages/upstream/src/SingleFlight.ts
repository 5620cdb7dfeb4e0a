import { Cache, Duration, Effect, Equal, Hash } from "effect"

/**
 * Shares one look-up of a key between concurrent callers. It keeps nothing: neither a result nor a failure outlives the
 * look-up. A caller that disconnects leaves the look-up to the others; the last one interrupts it.
 */
export interface SingleFlight<A, E> {
  /** Joins the look-up of this key that is under way, or else starts `lookup`. */
  get(key: string, lookup: Effect.Effect<A, E>): Effect.Effect<A, E>
  isUnderWay(key: string): Effect.Effect<boolean>
  /** From now on callers start a new look-up. Those that wait already get the result of the one under way. */
  forget(key: string): Effect.Effect<void>
  readonly forgetAll: Effect.Effect<void>
}

/** Two look-ups are equal when their keys are. */
class Flight<A, E> implements Equal.Equal {
  readonly key: string
  readonly lookup: Effect.Effect<A, E>

  constructor(key: string, lookup: Effect.Effect<A, E> = Effect.never) {
    this.key = key
    this.lookup = lookup
  }

  [Hash.symbol](): number {
    return Hash.string(this.key)
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Flight && that.key === this.key
  }
}

export const singleFlight = <A, E = never>(): Effect.Effect<SingleFlight<A, E>> =>
  Effect.map(
    Cache.makeWith(({ lookup }: Flight<A, E>) => lookup, { capacity: Infinity, timeToLive: () => Duration.zero }),
    (flights): SingleFlight<A, E> => ({
      get: (key, lookup) => Cache.get(flights, new Flight(key, lookup)),
      isUnderWay: (key) => Cache.has(flights, new Flight<A, E>(key)),
      forget: (key) => Cache.invalidate(flights, new Flight<A, E>(key)),
      forgetAll: Cache.invalidateAll(flights)
    })
  )
