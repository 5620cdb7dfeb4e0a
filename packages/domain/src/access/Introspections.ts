import { type TooManyRequests, Unauthorized, Unavailable } from "@portico/contract/Failures"
import { TtlCache, makeRoom } from "@portico/upstream/TtlCache"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { type Introspected, Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Cache, Clock, Context, Duration, Effect, Equal, Hash, Layer } from "effect"
import { AuthenticationQueue } from "./AuthenticationQueue.ts"
import type { PresentedToken } from "./PresentedToken.ts"
import { DeadMemory } from "./DeadMemory.ts"
import type { Source } from "./networks.ts"

/** How long an answer is believed at most (contract, Limits), and how many are held. */
const timeToLive = Duration.seconds(60)
const capacity = 50_000

/**
 * What the identity provider says of a token (RFC 7662). A good answer is kept
 * for 60 seconds and never past the token's own expiry. A bad one is kept for
 * five seconds, and only when a second look found the same, because a token may
 * be asked about a moment before it becomes visible. However many requests
 * bring the same token, it is asked about once.
 */
export class Introspections extends Context.Service<
  Introspections,
  {
    /** Undefined for a token that is not active. */
    get(
      token: PresentedToken,
      source?: Source
    ): Effect.Effect<
      Introspected | undefined,
      | Unauthorized<"introspection_failed">
      | Unavailable<"identity_provider_unreachable">
      | TooManyRequests<"rate_limited">
    >
    /** The answer that is kept, without asking the identity provider; undefined when there is none. */
    known(token: PresentedToken): Introspected | undefined
    /** Whether the token was found dead twice a moment ago, so that the provider is not asked. */
    isDead(token: PresentedToken): boolean
    /** The user that the token was last active for, as far as this process remembers. */
    lastUserOf(token: PresentedToken): string | undefined
  }
>()("portico/domain/access/Introspections") {
  static readonly layer = Layer.effect(
    Introspections,
    Effect.gen(function* () {
      const zitadel = yield* Zitadel
      const queue = yield* AuthenticationQueue
      const clock = yield* Clock.Clock
      const all = yield* metricsRegistry
      const lookups = (result: string) =>
        all.count(
          "portico_token_cache_lookups_total",
          "Tokens that were looked up before the identity provider was asked.",
          {
            result
          }
        )
      const [hits, misses] = [lookups("hit"), lookups("miss")]
      const users = new Map<string, string>()
      const dead = new DeadMemory()

      const remember = (token: PresentedToken, userId: string) => {
        makeRoom(users, capacity)
        users.set(token.hash, userId)
      }

      /** Good answers, by token hash. */
      const known = new TtlCache<Introspected>(capacity)
      const keep = (hash: string, answer: Introspected) => {
        const now = clock.currentTimeMillisUnsafe()
        const until = Math.min(now + Duration.toMillis(timeToLive), answer.exp * 1000)
        if (answer.roles.length > 0 && until > now) known.keep(hash, answer, until)
      }

      /** Only for those who ask at the same time: an answer is kept above, if at all. */
      const asked = yield* Cache.makeWith(
        Effect.fnUntraced(function* ({ presented, source }: Asked) {
          const { hash } = presented
          const introspected = zitadel.introspect(presented.redacted).pipe(
            // Callers are told the constant words; a wrong client secret of ours has to be seen somewhere.
            Effect.tapError((error) => Effect.logError("a token could not be introspected", error.sentence)),
            Effect.mapError(failure)
          )
          const answer = yield* queue.ask({ kind: "token", key: hash, source, known: users.has(hash) }, introspected)
          if (answer === undefined) dead.note(hash, clock.currentTimeMillisUnsafe())
          else {
            dead.forget(hash)
            remember(presented, answer.userId)
            keep(presented.hash, answer)
          }
          return answer
        }),
        { capacity, timeToLive: () => Duration.zero }
      )

      return Introspections.of({
        get: (token, source) => {
          const now = clock.currentTimeMillisUnsafe()
          const answer = known.get(token.hash, now)
          if (answer !== undefined || dead.has(token.hash, now)) {
            hits.value += 1
            return Effect.succeed(answer)
          }
          misses.value += 1
          return Cache.get(asked, new Asked(token, source))
        },
        isDead: (token) => dead.has(token.hash, clock.currentTimeMillisUnsafe()),
        known: (token) => known.get(token.hash, clock.currentTimeMillisUnsafe()),
        lastUserOf: (token) => users.get(token.hash)
      })
    })
  )
}

/** A token that has to be asked about. Two are the same when their tokens are, wherever they came from. */
class Asked implements Equal.Equal {
  readonly presented: PresentedToken
  readonly source: Source | undefined

  constructor(presented: PresentedToken, source: Source | undefined) {
    this.presented = presented
    this.source = source
  }

  [Hash.symbol](): number {
    return Hash.hash(this.presented)
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Asked && Equal.equals(that.presented, this.presented)
  }
}

/** Nobody answered: 503, because the token may be good. An answer that cannot be used: the constant 401. */
const failure = (
  error: UpstreamError
): Unauthorized<"introspection_failed"> | Unavailable<"identity_provider_unreachable"> =>
  error.status === null ? Unavailable.identityProvider() : Unauthorized.introspectionFailed()
