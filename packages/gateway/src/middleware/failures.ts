import { Authenticated } from "@portico/contract/Access"
import { BadRequest, Failure, Internal, MethodNotAllowed, NotFound, Unavailable } from "@portico/contract/Failures"
import type { Plane } from "@portico/domain/health/readiness"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Effect, Option, Schema } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { endpointsOf } from "../requests/endpoints.ts"
import { pathOf } from "../requests/route.ts"
import { encodedPlainCharacter } from "../requests/target.ts"
import { patternOf } from "../audit/routes.ts"
import { admission } from "../limits/admission.ts"
import { CurrentMeter } from "../limits/Meter.ts"
import { isDatabaseOutage } from "./databaseOutage.ts"
import { doubtfulHead } from "./headers.ts"
import { respond } from "./respond.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"

const isFailure = Schema.is(Failure)

/**
 * Renders every failure that no endpoint rendered: an unknown path, an unknown method, a failure of a catch-all
 * route, a database that is away (503), and a bug, of which the caller learns only the request id. A request that is interrupted because the process
 * stops gets a 503; a client that disconnected gets nothing.
 *
 * @param api the plane's API; a route of the other plane answers like an unknown path
 * @param pages the public pages beside the API
 */
export const renderFailures = Effect.fnUntraced(function* <Id extends string, Groups extends HttpApiGroup.Constraint>(
  plane: Plane,
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<OpenRoute>
) {
  const allowed = methodsOf(api, pages)
  const admitted = yield* admission
  const sources = yield* SourceAddresses

  /**
   * The methods of a path (RFC 9110, section 9.3.7). A path with authenticated routes answers authenticated callers
   * only.
   */
  const options = Effect.fnUntraced(
    function* (request: HttpServerRequest.HttpServerRequest, { isOpen, methods }: Allowed) {
      if (!isOpen) {
        const meter = yield* CurrentMeter
        if (meter !== undefined) meter.reachedAuthentication = true
        const token = yield* bearerToken(request.headers["authorization"])
        yield* admitted(token, { plane, source: () => sources.of(arrivalOf(request)), draft: undefined, meter })
      }
      return HttpServerResponse.empty({ status: 204, headers: { allow: allowOf(methods) } })
    },
    Effect.catch((failure) => respond(failure))
  )

  const unrouted = (request: HttpServerRequest.HttpServerRequest) => {
    const path = pathOf(request.url)
    const found = allowed(path)
    const { methods } = found
    if (request.method === "OPTIONS" && methods.length > 0 && isDecodable(path)) return options(request, found)
    // The method is known but no route matched: the id cannot be decoded, or is too long.
    return methods.length === 0 || methods.includes(request.method) || request.method === "OPTIONS"
      ? respond(NotFound.route())
      : Effect.map(respond(MethodNotAllowed.method()), HttpServerResponse.setHeader("allow", allowOf(methods)))
  }

  return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.catchCause(Effect.andThen(readOneWay, httpEffect), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? isDisconnected(cause)
          ? Effect.failCause(cause)
          : respond(Unavailable.stopping())
        : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
            const error = Option.getOrUndefined(Cause.findErrorOption(cause))
            if (isFailure(error)) return respond(error)
            if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound")
              return unrouted(request)
            if (isDatabaseOutage(cause)) {
              return Effect.andThen(
                Effect.logWarning(
                  `${request.method} ${pathOf(request.url)} failed: the database is not available`,
                  cause
                ),
                Effect.map(respond(Unavailable.database()), HttpServerResponse.setHeader("retry-after", "1"))
              )
            }
            return Effect.andThen(
              Effect.logError(`${request.method} ${pathOf(request.url)} failed`, cause),
              respond(Internal.error())
            )
          })
    )
})

const allowOf = (methods: ReadonlyArray<string>): string => [...methods, "OPTIONS"].toSorted().join(", ")

/** The router matches no path that cannot be decoded. */
const isDecodable = (path: string): boolean => Option.isSome(Option.liftThrowable(decodeURIComponent)(path))

/** Whether the client has disconnected. */
const isDisconnected = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((_) => _.annotations.has(HttpServerError.ClientAbort.key))

/**
 * Rejects a request that two readers would read differently. The router also ends the path at a `;` or a `#`; hardly
 * any other reader does. It also decodes letters before it matches a route, which the readers of the audit, of
 * idempotency and of metrics do not; the proxies refuse them too.
 */
const readOneWay = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
  const doubtful = doubtfulHead(NodeHttpServerRequest.toIncomingMessage(request))
  if (doubtful !== undefined) return Effect.fail(doubtful)
  const path = pathOf(request.url)
  if (/[;#]/.test(path)) return Effect.fail(BadRequest.pathNotCanonical("it holds characters that have to be encoded"))
  return encodedPlainCharacter.test(path)
    ? Effect.fail(BadRequest.pathNotCanonical("it encodes a letter, a digit, or one of - . _"))
    : Effect.void
})

/** A public route beside the API. */
export interface OpenRoute {
  readonly method: string
  readonly path: string
}

/** Pages, which are only read. */
export const pagesAt = (paths: ReadonlyArray<string>): ReadonlyArray<OpenRoute> =>
  paths.map((path) => ({ method: "GET", path }))

/** The methods of a path. */
interface Allowed {
  readonly methods: ReadonlyArray<string>
  /** The path needs no token. */
  readonly isOpen: boolean
}

const routeOf = (method: string, path: string, isOpen: boolean) => ({
  method,
  pattern: patternOf(path),
  isOpen,
  precedence: precedenceOf(path)
})

/**
 * The order of routes that match one path, in which the router prefers fixed words from the left. A fixed word such as
 * `usage` is not an id, so the methods of `/v1/credentials/:credential_id` are none of `/v1/credentials/usage`. A page
 * for all paths below it is one of theirs, too.
 */
const precedenceOf = (path: string): string =>
  path
    .split("/")
    .map((_) => (_.startsWith(":") ? "1" : "0"))
    .join("")

/** The methods of a path, for the Allow header (RFC 9110, section 15.5.6). */
const methodsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<OpenRoute>
): ((path: string) => Allowed) => {
  const routes = pages.map(({ method, path }) => routeOf(method, path, true))
  for (const { endpoint, middleware } of endpointsOf(api)) {
    const isOpen = !middleware.has(Authenticated.key)
    routes.push(routeOf(endpoint.method, endpoint.path, isOpen))
  }
  return (path) => {
    const matching = routes.filter((_) => _.pattern.test(path))
    const [closest] = matching.map((_) => _.precedence).toSorted()
    const found = matching.filter((_) => _.precedence === closest)
    // The router answers HEAD with the route of GET. OPTIONS is always answered here.
    const methods = found.flatMap(({ method }) =>
      method === "GET" ? ["GET", "HEAD"] : method === "OPTIONS" ? [] : [method]
    )
    return { methods: [...new Set(methods)], isOpen: found.every((_) => _.isOpen) }
  }
}
