import { SharedLimits, type SharedLimitsState } from "@portico/domain/health/readiness"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Trust, trusting } from "@portico/upstream/Trust"
import { Cause, Context, Deferred, Duration, Effect, Layer, Schedule } from "effect"
import { RateLimiter, Redis } from "effect/persistence"
import { connection, connectTimeout, redisSettings, refusal, type RedisSettings } from "./redis.ts"

export type LimiterStore = RateLimiter.RateLimiterStore["Service"]

/** Time-out of one request to the store. API calls wait for it, so a slow store has to count as an absent one. */
export const StoreTimeout = Context.Reference<Duration.Duration>("portico/gateway/limits/StoreTimeout", {
  defaultValue: () => Duration.millis(50)
})
/** Interval of pings. They also detect a connection that hangs while no calls arrive. */
const pingInterval = Duration.millis(500)
const reconnectPause = Duration.seconds(1)

/** Prefix of the keys in the store. There is one key for each tenant that called within the last minute. */
const prefix = "portico:rate:"

/** A connection that works, until a caller reports a failure. */
interface Connected {
  readonly store: LimiterStore
  readonly failed: Deferred.Deferred<void>
}

/**
 * The counts that all replicas share, in Redis at `REDIS_URL`. The gateway works without it: while it does not answer
 * in time, `current` is undefined, and afterwards the store is used again. A connection that failed is replaced by a
 * new one, because a connection that hangs reports no error.
 */
export class SharedStore extends Context.Service<
  SharedStore,
  {
    /** Whether `REDIS_URL` is set. */
    readonly isConfigured: boolean
    /** Whether the last connection attempt failed because Redis rejected the user or the password. */
    isRefused(): boolean
    /** Undefined without the setting, and while it does not answer. */
    current(): LimiterStore | undefined
    /** Reports that the store failed or did not answer in time. It is used again after it has answered a ping. */
    reportFailure(store: LimiterStore): void
  }
>()("portico/gateway/limits/SharedStore") {
  /** With the state that readiness reports. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const settings = yield* redisSettings
      const store = settings === undefined ? none : yield* connected(settings)
      const all = yield* metricsRegistry
      const description = "0 while the shared rate-limit store does not answer; 1 otherwise, also without such a store."
      all.gauge("portico_rate_limit_store_up", description, {}, () => ((state() ?? "ok") === "ok" ? 1 : 0))
      const state = (): SharedLimitsState | undefined => {
        if (!store.isConfigured) return undefined
        if (store.current() !== undefined) return "ok"
        return store.isRefused() ? "unauthorized" : "unreachable"
      }
      return Context.make(SharedStore, store).pipe(Context.add(SharedLimits, { state }))
    })
  )
}

const none = SharedStore.of({
  isConfigured: false,
  isRefused: () => false,
  current: () => undefined,
  reportFailure: () => {}
})

const connected = Effect.fnUntraced(function* (settings: RedisSettings) {
  const storeTimeout = yield* StoreTimeout
  const ca = trusting(yield* Trust)
  const firstTry = yield* Deferred.make<void>()
  let used: Connected | undefined
  let isDown = false
  let isRefused = false

  const found = Effect.fnUntraced(function* (store: LimiterStore) {
    used ??= { store, failed: yield* Deferred.make<void>() }
    if (!isDown) return
    isDown = false
    yield* Effect.logInfo("the shared rate-limit store answers again")
  })

  const lost = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
    used = undefined
    isRefused = refusal.test(Cause.pretty(cause))
    if (isDown) return
    isDown = true
    yield* Effect.logWarning("the shared rate-limit store does not answer; each replica counts for itself", cause)
  })

  /** One connection until its end, which is always a failure. */
  const session = Effect.gen(function* () {
    const redis = yield* connection(settings, ca)
    const store = yield* Effect.provideService(RateLimiter.makeStoreRedis({ prefix }), Redis.Redis, redis)
    while (true) {
      yield* Effect.timeout(redis.send("PING"), storeTimeout)
      yield* found(store)
      yield* Deferred.succeed(firstTry, undefined)
      if (used !== undefined) yield* Effect.timeoutOption(Deferred.await(used.failed), pingInterval)
    }
  }).pipe(
    Effect.scoped,
    Effect.catchCause(lost),
    Effect.andThen(Deferred.succeed(firstTry, undefined)),
    Effect.repeat(Schedule.spaced(reconnectPause))
  )

  yield* Effect.forkScoped(session)
  // Waits for the first connection, so that the first requests are counted in the shared store if possible.
  yield* Effect.timeoutOption(Deferred.await(firstTry), connectTimeout)

  return SharedStore.of({
    isConfigured: true,
    isRefused: () => isRefused,
    current: () => used?.store,
    reportFailure: (store) => {
      if (used?.store !== store) return
      Deferred.doneUnsafe(used.failed, Effect.void)
      used = undefined
    }
  })
})
