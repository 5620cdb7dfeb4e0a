import { BadRequest, type Failure } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { Effect, Option, Result } from "effect"
import { rendered } from "../../middleware/respond.ts"
import { iaasPrefix } from "../../requests/Place.ts"
import type { Exchange } from "../Exchange.ts"
import { proxyTarget } from "../path.ts"
import { type KeystoneAnswer, renderedForClients, sent } from "./KeystoneAnswer.ts"
import { type CatalogTarget, bases, withoutVersion } from "./Bases.ts"
import { identityVersions, serviceVersions } from "./discovery.ts"
import { tokenCalls } from "./tokens.ts"

/**
 * Unmodified clients of OpenStack in front of the platform proxy. The gateway
 * answers itself what such a client asks before its first call: which versions
 * there are, and the token call of Keystone. Every other request becomes the
 * request that a client of the gateway would have sent, its `X-Auth-Token` the
 * Bearer and its path without the service's version, and is decided on as
 * that: nothing is allowed here that is refused there.
 */
export const stockClients = Effect.fnUntraced(function* <E>(proxy: (exchange: Exchange) => Effect.Effect<void, E>) {
  const known = yield* bases
  const tokens = yield* tokenCalls(known)
  const versions = yield* serviceVersions

  /** What the gateway answers itself; undefined for what goes on. */
  const answered = (exchange: Exchange, asked: CatalogTarget): Effect.Effect<KeystoneAnswer, Failure> | undefined => {
    const { segments, service, versioned } = asked
    const method = exchange.from.method === "HEAD" ? "GET" : exchange.from.method
    if (service === "identity" && method === "POST" && isTokens(segments)) return tokens.issue(exchange, asked)
    if (method !== "GET") return undefined
    if (service === "identity" && isTokens(segments)) {
      return Effect.flatMap(authorized(exchange), (_) => tokens.show(_, asked))
    }
    const base = known.get(service)
    if (segments.length > 0 || base === undefined) return undefined
    return service === "identity"
      ? Effect.succeed(identityVersions(exchange.own, versioned))
      : Effect.flatMap(authorized(exchange), (_) => versions(_, service, base, versioned))
  }

  return {
    serve: Effect.fnUntraced(function* (exchange: Exchange) {
      const target = Option.getOrUndefined(Result.getSuccess(proxyTarget(exchange.target, iaasPrefix)))
      // What is no target is the proxy's to refuse, once it knows who asks.
      if (target === undefined) return yield* proxy(yield* authorized(exchange))
      const asked = withoutVersion(known, target)
      const answer = answered(exchange, asked)
      if (answer !== undefined) return yield* sent(exchange, yield* answer)
      const onward = yield* authorized(exchange)
      return yield* proxy(asked.versioned ? { ...onward, target: targetOf(asked), versioned: true } : onward)
    }),
    /** Who sends an Authorization header is no stock client, unless it makes the token call. */
    renderedFor: ({ from }: Exchange) =>
      from.headers.authorization === undefined || tokenCall.test(from.url ?? "") ? renderedForClients : rendered
  }
})

const isTokens = ([auth, tokens, ...more]: ReadonlyArray<string>): boolean =>
  auth === "auth" && tokens === "tokens" && more.length === 0

const tokenCall = /^\/v1\/iaas\/identity\/(v3\/)?auth\/tokens\/?(\?|$)/

/** The exchange with the Bearer that the request amounts to. */
const authorized = (exchange: Exchange): Effect.Effect<Exchange, BadRequest> => {
  const token = exchange.from.headers["x-auth-token"]
  if (token === undefined) return Effect.succeed(exchange)
  const authorization = `Bearer ${String(token)}`
  if (exchange.authorization === undefined) return Effect.succeed({ ...exchange, authorization })
  return Effect.flatMap(sameToken(exchange.authorization, authorization), (same) =>
    same ? Effect.succeed(exchange) : Effect.fail(BadRequest.twoTokens())
  )
}

const sameToken = (one: string, other: string): Effect.Effect<boolean> =>
  Effect.zipWith(bearerToken(one), bearerToken(other), (a, b) => a.hash === b.hash).pipe(
    Effect.catchTag("Unauthorized", () => Effect.succeed(false))
  )

const targetOf = ({ query, segments, service }: CatalogTarget): string =>
  `${iaasPrefix}${[service, ...segments].join("/")}${query === undefined ? "" : `?${query}`}`
