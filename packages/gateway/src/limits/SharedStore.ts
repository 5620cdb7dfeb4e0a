import { SharedLimits, type SharedLimitsState } from "@portico/domain/health/SharedLimits"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Trust, trusting } from "@portico/upstream/Trust"
import { Cause, Config, Context, Deferred, Duration, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { RateLimiter, Redis } from "effect/persistence"
import { createClient } from "redis"

export type LimiterStore = RateLimiter.RateLimiterStore["Service"]

/** What an answer may take: requests wait for it, so that a slow store is as bad as none. */
export const Patience = Context.Reference<Duration.Duration>("portico/gateway/limits/Patience", {
  defaultValue: () => Duration.millis(50)
})
const connecting = Duration.seconds(2)
/** A connection that hangs is found out in this time, also when nobody calls. */
const lookedAfter = Duration.millis(500)
const again = Duration.seconds(1)

/** Keys in the store: one for each tenant that called within the last minute. */
const prefix = "portico:rate:"

/** How Redis begins to say that it does not know who connects. */
const refusal = /\b(?:WRONGPASS|NOAUTH|NOPERM)\b/

/** A connection that works, until somebody doubts it. */
interface Used {
  readonly store: LimiterStore
  readonly doubted: Deferred.Deferred<void>
}

/**
 * The counts that all replicas share, in Redis, where `REDIS_URL` names one.
 * Nobody depends on it: while it does not answer, or not in time, there is
 * none, and when it does there is one again. A connection that failed is
 * given up for a new one, since one that hangs does not tell so.
 */
export class SharedStore extends Context.Service<
  SharedStore,
  {
    /** Whether there should be one. */
    readonly isWanted: boolean
    /** Whether it did not accept the user and password of the setting when it was last connected to. */
    isRefused(): boolean
    /** Undefined without the setting, and while it does not answer. */
    current(): LimiterStore | undefined
    /** It failed, or did not answer in time: it is used again when it has answered a question of its own. */
    doubt(store: LimiterStore): void
  }
>()("portico/gateway/limits/SharedStore") {
  /** With what readiness says of it. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const url = Option.filter(yield* Config.option(Config.Redacted("REDIS_URL")), (_) => Redacted.value(_) !== "")
      const store = Option.isNone(url) ? none : yield* connected(Redacted.value(url.value))
      const all = yield* metricsRegistry
      const description = "0 while the store in which replicas share rate limits does not answer; 1 otherwise."
      all.gauge("portico_rate_limit_store_up", description, {}, () => ((state() ?? "ok") === "ok" ? 1 : 0))
      const state = (): SharedLimitsState | undefined => {
        if (!store.isWanted) return undefined
        if (store.current() !== undefined) return "ok"
        return store.isRefused() ? "unauthorized" : "unreachable"
      }
      return Context.make(SharedStore, store).pipe(Context.add(SharedLimits, { state }))
    })
  )
}

const none = SharedStore.of({ isWanted: false, isRefused: () => false, current: () => undefined, doubt: () => {} })

const connected = Effect.fnUntraced(function* (url: string) {
  const patience = yield* Patience
  const ca = trusting(yield* Trust)
  const firstTry = yield* Deferred.make<void>()
  let used: Used | undefined
  let isMissed = false
  let isRefused = false

  const found = Effect.fnUntraced(function* (store: LimiterStore) {
    used ??= { store, doubted: yield* Deferred.make<void>() }
    if (!isMissed) return
    isMissed = false
    yield* Effect.logInfo("the shared store of rate limits answers again")
  })

  const lost = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
    used = undefined
    isRefused = refusal.test(Cause.pretty(cause))
    if (isMissed) return
    isMissed = true
    yield* Effect.logWarning("the shared store of rate limits does not answer: each replica counts for itself", cause)
  })

  /** From one connection to its end, which is always a failure. */
  const session = Effect.gen(function* () {
    const redis = yield* connection(url, ca)
    const store = yield* Effect.provideService(RateLimiter.makeStoreRedis({ prefix }), Redis.Redis, redis)
    while (true) {
      yield* Effect.timeout(redis.send("PING"), patience)
      yield* found(store)
      yield* Deferred.succeed(firstTry, undefined)
      if (used !== undefined) yield* Effect.timeoutOption(Deferred.await(used.doubted), lookedAfter)
    }
  }).pipe(
    Effect.scoped,
    Effect.catchCause(lost),
    Effect.andThen(Deferred.succeed(firstTry, undefined)),
    Effect.repeat(Schedule.spaced(again))
  )

  yield* Effect.forkScoped(session)
  // The first requests are counted with everybody's, if that can be.
  yield* Effect.timeoutOption(Deferred.await(firstTry), connecting)

  return SharedStore.of({
    isWanted: true,
    isRefused: () => isRefused,
    current: () => used?.store,
    doubt: (store) => {
      if (used?.store !== store) return
      Deferred.doneUnsafe(used.doubted, Effect.void)
      used = undefined
    }
  })
})

/**
 * One connection, which neither makes itself anew nor holds back what is asked
 * meanwhile. It is torn off in the end, and not closed: for what is under way
 * nobody waits any more, and it may never come.
 */
const connection = Effect.fnUntraced(function* (url: string, ca: ReturnType<typeof trusting>) {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createClient({
        url,
        disableOfflineQueue: true,
        socket: {
          reconnectStrategy: false,
          connectTimeout: Duration.toMillis(connecting),
          ...(url.startsWith("rediss:") ? { tls: true, ...ca } : {})
        }
      })
    ),
    (client) => Effect.sync(() => client.isOpen && client.destroy())
  )
  const failed = (cause: unknown) => new Redis.RedisError({ cause })
  // Without anybody who hears of it, an error would end the process; whoever asks something is told of it as well.
  client.on("error", () => {})
  yield* Effect.timeout(Effect.tryPromise({ try: () => client.connect(), catch: failed }), connecting)
  const none = Effect.fail(failed("counting needs no connection of its own"))
  return yield* Redis.make({
    send: <A>(command: string, ...args: ReadonlyArray<string>) =>
      Effect.tryPromise({ try: () => client.sendCommand<A>([command, ...args]), catch: failed }),
    connect: none,
    subscribe: () => none
  })
})
