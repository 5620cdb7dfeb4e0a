import { BadRequest, type Failure } from "@portico/contract/Failures"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { Effect, Option, Result } from "effect"
import { rendered } from "../../middleware/respond.ts"
import { iaasPrefix, stockPrefix } from "../../requests/route.ts"
import type { Exchange } from "../Exchange.ts"
import { proxyTarget } from "../path.ts"
import { type KeystoneResponse, sent } from "./KeystoneResponse.ts"
import { type CatalogTarget, bases, withoutVersion } from "./Bases.ts"
import { identityVersions, serviceVersions } from "./discovery.ts"
import { renderedForClients } from "./serviceErrors.ts"
import { tokenCalls } from "./tokens.ts"

/**
 * Serves unmodified OpenStack clients in front of the platform proxy. The gateway itself answers the requests that
 * such a client makes before its first call: version discovery and Keystone's token call. It converts every other
 * request to the form of a gateway client: the `X-Auth-Token` becomes the Bearer token, and the path loses the
 * service's version. The converted request passes the same checks, so compatibility permits nothing extra.
 */
export const stockClients = Effect.fnUntraced(function* <E>(proxy: (exchange: Exchange) => Effect.Effect<void, E>) {
  const known = yield* bases
  const tokens = yield* tokenCalls(known)
  const versions = yield* serviceVersions(known)

  /** The gateway's own response; undefined for a request to forward. */
  const ownResponse = (
    exchange: Exchange,
    target: CatalogTarget
  ): Effect.Effect<KeystoneResponse | undefined, Failure> | undefined => {
    const { segments, service, versioned } = target
    const method = exchange.from.method === "HEAD" ? "GET" : exchange.from.method
    if (service === "identity" && method === "POST" && isTokens(segments)) return tokens.issue(exchange, target)
    if (method !== "GET") return undefined
    if (service === "identity" && isTokens(segments)) {
      return Effect.flatMap(authorized(exchange), (_) => tokens.show(_, target))
    }
    if (service === "identity" && exchange.prefix === stockPrefix && isProjects(segments)) {
      return Effect.flatMap(authorized(exchange), (_) => tokens.projects(_, target))
    }
    const base = known.get(service)
    if (segments.length > 0 || base === undefined) return undefined
    if (service === "identity") return Effect.succeed(identityVersions(`${exchange.own}${exchange.prefix}`, versioned))
    // Neutron lists its resources there, to callers.
    if (service === "network" && versioned && exchange.prefix === stockPrefix) return undefined
    return Effect.flatMap(authorized(exchange), (_) => versions(_, service, base, versioned))
  }

  return {
    serve: Effect.fnUntraced(function* (exchange: Exchange) {
      const target = Option.getOrUndefined(Result.getSuccess(proxyTarget(exchange.target, iaasPrefix)))
      // The proxy rejects an invalid target, after it has authenticated the caller.
      if (target === undefined) return yield* proxy(yield* authorized(exchange))
      const catalogTarget = withoutVersion(known, target)
      const response = yield* ownResponse(exchange, catalogTarget) ?? Effect.undefined
      if (response !== undefined) return yield* sent(exchange, response)
      const onward = yield* authorized(exchange)
      return yield* proxy(
        catalogTarget.versioned ? { ...onward, target: targetOf(catalogTarget), versioned: true } : onward
      )
    }),
    /**
     * Outside of `/openstack` a client that sends an Authorization header is not a stock client, unless it makes the
     * token call.
     */
    renderedFor: (exchange: Exchange) =>
      exchange.prefix === stockPrefix ||
      exchange.from.headers.authorization === undefined ||
      tokenCall.test(exchange.from.url ?? "")
        ? renderedForClients(exchange)
        : rendered
  }
})

const isTokens = ([auth, tokens, ...more]: ReadonlyArray<string>): boolean =>
  auth === "auth" && tokens === "tokens" && more.length === 0

/** The lists by which clients look for projects to choose from. */
const isProjects = (segments: ReadonlyArray<string>): boolean =>
  /^(projects|auth\/projects|users\/[^/]+\/projects)$/.test(segments.join("/"))

const tokenCall = /^\/v1\/iaas\/identity\/(v3\/)?auth\/tokens\/?(\?|$)/

/** The exchange with the Bearer token that the request is equivalent to. */
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

const targetOf = ({ query, segments, service, slash }: CatalogTarget): string =>
  iaasPrefix +
  [service, ...segments].join("/") +
  (slash && segments.length > 0 ? "/" : "") +
  (query === undefined ? "" : `?${query}`)
