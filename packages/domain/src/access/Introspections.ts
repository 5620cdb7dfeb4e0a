import { type TooManyRequests, Unauthorized, Unavailable } from "@portico/contract/Failures"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { singleFlight } from "@portico/upstream/SingleFlight"
import { TtlCache } from "@portico/upstream/TtlCache"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { type Introspected, Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { AuthenticationQueue } from "./AuthenticationQueue.ts"
import type { PresentedToken } from "./PresentedToken.ts"
import { DeadMemory } from "./DeadMemory.ts"
import { EndedSessions } from "./EndedSessions.ts"
import type { Source } from "./networks.ts"

/** The longest time that an answer is cached (contract, Limits), and the most answers cached. */
const timeToLive = Duration.seconds(60)
const capacity = 50_000

/** Why it is unknown whether a token is active. */
type Unknown =
  | Unauthorized<"introspection_failed">
  | Unavailable<"identity_provider_unreachable">
  | TooManyRequests<"rate_limited">

/**
 * Introspects tokens at the identity provider (RFC 7662) and caches the answers. An active token is
 * cached for 60 seconds and never past its own expiry. An inactive one is cached for five seconds,
 * and only after a second look-up found the same, because a client may present a token a moment
 * before it becomes visible. Concurrent requests with the same token share one introspection. The
 * access token of a console's session that was ended is not active, whatever the provider says.
 */
export class Introspections extends Context.Service<
  Introspections,
  {
    /** Undefined for a token that is not active. */
    get(token: PresentedToken, source?: Source): Effect.Effect<Introspected | undefined, Unknown>
    /** The cached answer, without asking the identity provider; undefined when none is cached. */
    known(token: PresentedToken): Introspected | undefined
    /** Whether two recent look-ups found the token dead, or its session was ended, so the provider is not asked. */
    isDead(token: PresentedToken): boolean
    /** The user that the token last was active for, as far as this process remembers. */
    lastUserOf(token: PresentedToken): string | undefined
  }
>()("portico/domain/access/Introspections") {
  static readonly layer = Layer.effect(
    Introspections,
    Effect.gen(function* () {
      const zitadel = yield* Zitadel
      const queue = yield* AuthenticationQueue
      const sessions = yield* EndedSessions
      const clock = yield* Clock.Clock
      const all = yield* metricsRegistry
      const lookups = (result: string) =>
        all.count("portico_token_cache_lookups_total", "Look-ups in the token cache, by result.", {
          result
        })
      const [hits, misses] = [lookups("hit"), lookups("miss")]
      /** The last user of each token that was active once, for as long as there is room. */
      const users = new TtlCache<string>(capacity)
      const dead = new DeadMemory()

      /** Answers for active tokens, by token hash. */
      const known = new TtlCache<Introspected>(capacity)
      const keep = (hash: string, answer: Introspected) => {
        const now = clock.currentTimeMillisUnsafe()
        const until = Math.min(now + Duration.toMillis(timeToLive), answer.exp * 1000)
        if (answer.roles.length > 0 && until > now) known.keep(hash, answer, until)
      }

      const introspections = yield* singleFlight<Introspected | undefined, Unknown>()
      const lookup = Effect.fnUntraced(function* ({ hash, redacted }: PresentedToken, source: Source | undefined) {
        const introspected = zitadel.introspect(redacted).pipe(
          // Callers get a constant message, so the log must show causes such as a wrong client secret of the gateway.
          Effect.tapError((error) => Effect.logError("a token could not be introspected", error.summary)),
          Effect.mapError(failure)
        )
        const known = users.get(hash, 0) !== undefined
        const answer = yield* queue.ask({ kind: "token", key: hash, source, known }, introspected)
        if (answer === undefined) dead.note(hash, clock.currentTimeMillisUnsafe())
        else {
          dead.forget(hash)
          users.keep(hash, answer.userId, Infinity)
          keep(hash, answer)
        }
        return answer
      })

      const answerOf = (token: PresentedToken, source: Source | undefined) => {
        const now = clock.currentTimeMillisUnsafe()
        const answer = known.get(token.hash, now)
        if (answer !== undefined || dead.has(token.hash, now)) {
          hits.value += 1
          return Effect.succeed(answer)
        }
        misses.value += 1
        return introspections.get(token.hash, lookup(token, source))
      }

      return Introspections.of({
        get: (token, source) => {
          const isEnded = sessions.known(token.hash)
          if (isEnded === false) return answerOf(token, source)
          const ended = isEnded === undefined ? sessions.find(token.hash) : Effect.succeed(isEnded)
          return Effect.flatMap(ended, (_) => (_ ? Effect.undefined : answerOf(token, source)))
        },
        isDead: (token) => dead.has(token.hash, clock.currentTimeMillisUnsafe()) || sessions.known(token.hash) === true,
        known: (token) =>
          sessions.known(token.hash) === false ? known.get(token.hash, clock.currentTimeMillisUnsafe()) : undefined,
        lastUserOf: (token) => users.get(token.hash, 0)
      })
    })
  )
}

/** No answer: 503, because the token may be valid. An unusable answer: the constant 401. */
const failure = (
  error: UpstreamError
): Unauthorized<"introspection_failed"> | Unavailable<"identity_provider_unreachable"> =>
  error.status === null ? Unavailable.identityProvider() : Unauthorized.introspectionFailed()
