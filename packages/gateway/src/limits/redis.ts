import { trusting } from "@portico/upstream/Trust"
import { Config, Duration, Effect, Option, Redacted, Schema } from "effect"
import { Redis } from "effect/persistence"

export const connectTimeout = Duration.seconds(2)

/** The error codes with which Redis rejects a user, a password or a permission. */
export const refusal = /\b(?:WRONGPASS|NOAUTH|NOPERM)\b/

const split = (text: string): ReadonlyArray<string> => text.split(",").map((_) => _.trim())

/** The value of `REDIS_SENTINELS`. */
export const Sentinels = Schema.String.check(
  Schema.makeFilter((text) => split(text).every((_) => /^(?:[\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/.test(_)), {
    expected: "sentinels as host:port, separated by commas"
  })
)

/** The Redis to connect to. */
export interface RedisSettings {
  readonly url: string
  /** `host:port` each. Where there are any, they name the host and the port, and not the URL. */
  readonly sentinels: ReadonlyArray<string>
  readonly sentinelName: string
  /** Undefined where they ask for none. */
  readonly sentinelPassword: Redacted.Redacted | undefined
}

/** Undefined also where it is set to nothing. */
const given = (secret: Config.Config<Redacted.Redacted>) =>
  Effect.map(Config.option(secret), (_) =>
    Option.getOrUndefined(Option.filter(_, (value) => Redacted.value(value) !== ""))
  )

/** Undefined without `REDIS_URL`. */
export const redisSettings = Effect.gen(function* () {
  const url = yield* given(Config.Redacted("REDIS_URL"))
  const sentinels = yield* Config.option(Config.schema(Sentinels, "REDIS_SENTINELS"))
  const sentinelName = yield* Config.NonEmptyString("REDIS_SENTINEL_NAME").pipe(Config.withDefault("mymaster"))
  const sentinelPassword = yield* given(Config.Redacted("REDIS_SENTINEL_PASSWORD"))
  if (url === undefined) return undefined
  return {
    url: Redacted.value(url),
    sentinels: Option.isNone(sentinels) ? [] : split(sentinels.value),
    sentinelName,
    sentinelPassword
  } satisfies RedisSettings
})

type Authorities = ReturnType<typeof trusting>

/** Loads the large library only where a store is configured. */
const library = Effect.promise(() => import("redis"))

/**
 * One connection, without reconnects and without an offline queue. It is destroyed and not closed at the end, because
 * pending commands may never be answered and their callers have given up.
 */
const opened = Effect.fnUntraced(function* (url: string, ca: Authorities) {
  const { createClient } = yield* library
  const client = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createClient({
        url,
        disableOfflineQueue: true,
        socket: {
          reconnectStrategy: false,
          connectTimeout: Duration.toMillis(connectTimeout),
          ...(url.startsWith("rediss:") ? { tls: true, ...ca } : {})
        }
      })
    ),
    (client) => Effect.sync(() => client.isOpen && client.destroy())
  )
  // An 'error' event without a listener crashes the process. A failed command also reports the error to its caller.
  client.on("error", () => {})
  yield* Effect.timeout(Effect.tryPromise({ try: () => client.connect(), catch: failed }), connectTimeout)
  return <A>(command: string, ...args: ReadonlyArray<string>) =>
    Effect.tryPromise({ try: () => client.sendCommand<A>([command, ...args]), catch: failed })
})

const failed = (cause: unknown) => new Redis.RedisError({ cause })

/** A connection to the Redis, or to the primary that the sentinels name now. */
export const connection = Effect.fnUntraced(function* (settings: RedisSettings, ca: Authorities) {
  const send = yield* opened(yield* addressOf(settings, ca), ca)
  // A sentinel may not know yet that its primary has become a replica, which refuses to count.
  const isReplica =
    settings.sentinels.length > 0 && String(yield* Effect.timeout(send("ROLE"), connectTimeout)).startsWith("slave")
  if (isReplica) return yield* failed("the sentinels name a replica")
  const none = Effect.fail(failed("counting needs no connection of its own"))
  return yield* Redis.make({ send, connect: none, subscribe: () => none })
})

/** With the login and the TLS of the URL. The sentinels have TLS with it, and a password of their own or none. */
const addressOf = Effect.fnUntraced(function* (settings: RedisSettings, ca: Authorities) {
  const { sentinelName, sentinelPassword, sentinels, url } = settings
  if (sentinels.length === 0) return url
  const scheme = new URL(url).protocol
  const login = sentinelPassword === undefined ? "" : `:${encodeURIComponent(Redacted.value(sentinelPassword))}@`
  const asked = sentinels.map((sentinel) =>
    Effect.scoped(
      Effect.gen(function* () {
        const send = yield* opened(`${scheme}//${login}${sentinel}`, ca)
        const named = send<unknown>("SENTINEL", "get-master-addr-by-name", sentinelName)
        const [host, port] = yield* Effect.flatMap(Effect.timeout(named, connectTimeout), decodeAddress)
        const primary = new URL(url)
        primary.host = `${host.includes(":") ? `[${host}]` : host}:${port}`
        return primary.href
      })
    )
  )
  return yield* Effect.firstSuccessOf(asked)
})

const decodeAddress = (answer: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(Schema.Tuple([Schema.String, Schema.String]))(answer), () =>
    failed("the sentinel knows no primary of this name")
  )
