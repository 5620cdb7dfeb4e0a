import { Unauthorized, Unavailable } from "@portico/contract/Failures"
import { Kept } from "@portico/upstream/Kept"
import { series } from "@portico/upstream/Series"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { type Introspected, Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Cache, Clock, Context, Duration, Effect, Layer } from "effect"
import type { PresentedToken } from "./PresentedToken.ts"

/** How long an answer is believed at most (contract, Limits), and how many are held. */
const timeToLive = Duration.seconds(60)
const capacity = 50_000

/**
 * What the identity provider says of a token (RFC 7662). A good answer is kept
 * for 60 seconds and never past the token's own expiry; a bad one is not kept,
 * because a token may be asked about a moment before it becomes visible.
 * However many requests bring the same token, it is asked about once.
 */
export class Introspections extends Context.Service<
  Introspections,
  {
    /** Undefined for a token that is not active. */
    get(token: PresentedToken): Effect.Effect<Introspected | undefined, Unauthorized | Unavailable>
    /** The answer that is kept, without asking the identity provider; undefined when there is none. */
    known(token: PresentedToken): Introspected | undefined
    /** The user that the token was last active for, as far as this process remembers. */
    lastUserOf(token: PresentedToken): string | undefined
  }
>()("portico/domain/access/Introspections") {
  static readonly layer = Layer.effect(
    Introspections,
    Effect.gen(function* () {
      const zitadel = yield* Zitadel
      const clock = yield* Clock.Clock
      const all = yield* series
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

      const remember = (token: PresentedToken, userId: string) => {
        const [oldest] = users.keys()
        if (users.size >= capacity && oldest !== undefined) users.delete(oldest)
        users.set(token.hash, userId)
      }

      /** Good answers, by token hash. */
      const known = new Kept<Introspected>(capacity)
      const keep = (hash: string, answer: Introspected) => {
        const now = clock.currentTimeMillisUnsafe()
        const until = Math.min(now + Duration.toMillis(timeToLive), answer.exp * 1000)
        if (answer.roles.length > 0 && until > now) known.keep(hash, answer, until)
      }

      /** Only for those who ask at the same time: an answer is kept above, if at all. */
      const asked = yield* Cache.makeWith(
        Effect.fnUntraced(function* (presented: PresentedToken) {
          const answer = yield* zitadel.introspect(presented.redacted).pipe(
            // Callers are told the constant words; a wrong client secret of ours has to be seen somewhere.
            Effect.tapError((error) => Effect.logError("a token could not be introspected", error.sentence)),
            Effect.mapError(failure)
          )
          if (answer !== undefined) {
            remember(presented, answer.userId)
            keep(presented.hash, answer)
          }
          return answer
        }),
        { capacity, timeToLive: () => Duration.zero }
      )

      return Introspections.of({
        get: (token) => {
          const answer = known.get(token.hash, clock.currentTimeMillisUnsafe())
          if (answer === undefined) {
            misses.value += 1
            return Cache.get(asked, token)
          }
          hits.value += 1
          return Effect.succeed(answer)
        },
        known: (token) => known.get(token.hash, clock.currentTimeMillisUnsafe()),
        lastUserOf: (token) => users.get(token.hash)
      })
    })
  )
}

/** Nobody answered: 503, because the token may be good. An answer that cannot be used: the constant 401. */
const failure = (error: UpstreamError): Unauthorized | Unavailable =>
  error.status === null ? Unavailable.identityProvider() : Unauthorized.introspectionFailed()
