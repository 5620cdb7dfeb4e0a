import { type TooManyRequests, Unavailable } from "@portico/contract/Failures"
import { TtlCache } from "@portico/upstream/TtlCache"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { ClientCredentials } from "@portico/upstream/zitadel/ClientCredentials"
import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { AuthenticationQueue } from "./AuthenticationQueue.ts"
import { hashOf } from "./PresentedToken.ts"
import { DeadMemory } from "./DeadMemory.ts"
import type { Source } from "./networks.ts"

/** How long a valid pair counts as known, whatever else its source brings; in milliseconds. */
const trustedMillis = Duration.toMillis(Duration.minutes(10))
const capacity = 10_000

/**
 * Exchanges a client's id and secret for the access token that the client would get itself. Secrets
 * have 256 random bits, so guesses need no limit; the limit is on what they cost the identity
 * provider. Bad pairs with the same id therefore never cause a valid pair to be rejected.
 */
export class ClientLogins extends Context.Service<
  ClientLogins,
  {
    /** Whether the pair was valid a while ago. */
    isKnown(id: string, secret: Redacted.Redacted): boolean
    /** Undefined for a pair that the provider rejects. */
    exchange(
      id: string,
      secret: Redacted.Redacted,
      source: Source | undefined
    ): Effect.Effect<
      Redacted.Redacted | undefined,
      TooManyRequests<"rate_limited"> | Unavailable<"identity_provider_unreachable">
    >
  }
>()("portico/domain/access/ClientLogins") {
  static readonly layer = Layer.effect(
    ClientLogins,
    Effect.gen(function* () {
      const clientCredentials = yield* ClientCredentials
      const queue = yield* AuthenticationQueue
      const clock = yield* Clock.Clock
      const good = new TtlCache<true>(capacity)
      const dead = new DeadMemory()
      const pepper = randomBytes(32)
      const pairOf = (id: string, secret: Redacted.Redacted) =>
        createHmac("sha256", pepper)
          .update(`${id}\0${Redacted.value(secret)}`)
          .digest("base64url")

      return ClientLogins.of({
        isKnown: (id, secret) => good.get(pairOf(id, secret), clock.currentTimeMillisUnsafe()) === true,
        exchange: Effect.fnUntraced(function* (id, secret, source) {
          const pair = pairOf(id, secret)
          const now = clock.currentTimeMillisUnsafe()
          if (dead.has(pair, now)) return undefined
          const known = good.get(pair, now) === true
          const token = yield* queue.ask(
            // The key is the secret's hash: a secret that was already rejected as a token stays in the lane for
            // retries.
            { kind: "login", key: hashOf(secret), source, known },
            Effect.catchTag(clientCredentials.accessToken(id, secret), "UpstreamError", noExchange)
          )
          const then = clock.currentTimeMillisUnsafe()
          if (token === undefined) dead.note(pair, then)
          else {
            dead.forget(pair)
            good.keep(pair, true, then + trustedMillis)
            yield* queue.expect(hashOf(token))
          }
          return token
        })
      })
    })
  )
}

/** The provider does not answer, or fails itself. The pair may be valid, so the failure is logged. */
const noExchange = (error: UpstreamError) =>
  Effect.andThen(
    Effect.logError("a client's id and secret could not be exchanged", error.summary),
    Effect.fail(Unavailable.identityProvider())
  )
