import { Authenticated } from "@portico/contract/Access"
import { BadRequest, Failure, Internal, MethodNotAllowed, NotFound, Unavailable } from "@portico/contract/Failures"
import type { Plane } from "@portico/domain/health/readiness"
import { bearerToken } from "@portico/domain/access/PresentedToken"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Effect, Option, Schema } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { pathOf } from "../requests/Place.ts"
import { patternOf } from "../audit/routePlace.ts"
import { admission } from "../limits/admission.ts"
import { CurrentMeter } from "../limits/Meter.ts"
import { doubtfulHeaders } from "./headers.ts"
import { respond } from "./respond.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"

const isFailure = Schema.is(Failure)

/**
 * What no endpoint rendered becomes an answer here: a path that is not there,
 * a method that is not, a failure of a catch-all route, and a bug, of which
 * the caller learns nothing but the request id. A request that is cut off
 * because the process stops is told so; a client that went is told nothing.
 *
 * @param api the plane's, so that a route of the other plane answers like a random path
 * @param pages what can be read beside it
 */
export const renderFailures = Effect.fnUntraced(function* <Id extends string, Groups extends HttpApiGroup.Constraint>(
  plane: Plane,
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
) {
  const allowed = methodsOf(api, pages)
  const admitted = yield* admission
  const sources = yield* SourceAddresses

  /** Which methods a path has (RFC 9110, section 9.3.7): for every caller, where the path has callers at all. */
  const options = Effect.fnUntraced(
    function* (request: HttpServerRequest.HttpServerRequest, { isOpen, methods }: Allowed) {
      if (!isOpen) {
        const meter = yield* CurrentMeter
        if (meter !== undefined) meter.asked = true
        const token = yield* bearerToken(request.headers["authorization"])
        yield* admitted(token, { plane, source: () => sources.of(arrivalOf(request)), draft: undefined, meter })
      }
      return HttpServerResponse.empty({ status: 204, headers: { allow: allowOf(methods) } })
    },
    Effect.catch((failure) => respond(failure))
  )

  const absent = (request: HttpServerRequest.HttpServerRequest) => {
    const path = pathOf(request.url)
    const found = allowed(path)
    const { methods } = found
    if (request.method === "OPTIONS" && methods.length > 0 && isDecodable(path)) return options(request, found)
    // A known method that found no route: its id cannot be decoded, or is longer than any id.
    return methods.length === 0 || methods.includes(request.method) || request.method === "OPTIONS"
      ? respond(NotFound.route())
      : Effect.map(respond(MethodNotAllowed.method()), HttpServerResponse.setHeader("allow", allowOf(methods)))
  }

  return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.catchCause(Effect.andThen(readOneWay, httpEffect), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? isLeft(cause)
          ? Effect.failCause(cause)
          : respond(Unavailable.stopping())
        : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
            const error = Option.getOrUndefined(Cause.findErrorOption(cause))
            if (isFailure(error)) return respond(error)
            if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound")
              return absent(request)
            return Effect.andThen(
              Effect.logError(`${request.method} ${pathOf(request.url)} failed`, cause),
              respond(Internal.error())
            )
          })
    )
})

const allowOf = (methods: ReadonlyArray<string>): string => [...methods, "OPTIONS"].toSorted().join(", ")

/** No route is found for a path that cannot be decoded. */
const isDecodable = (path: string): boolean => Option.isSome(Option.liftThrowable(decodeURIComponent)(path))

/** Nobody waits for the answer. */
const isLeft = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((_) => _.annotations.has(HttpServerError.ClientAbort.key))

/** Refuses what two readers would read differently. The router begins the query at a `;` or `#` as well, where hardly any other reader does. */
const readOneWay = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
  const doubtful = doubtfulHeaders(NodeHttpServerRequest.toIncomingMessage(request))
  if (doubtful !== undefined) return Effect.fail(doubtful)
  return /[;#]/.test(pathOf(request.url))
    ? Effect.fail(BadRequest.pathNotCanonical("it holds characters that have to be encoded"))
    : Effect.void
})

/** What a path exists with. */
interface Allowed {
  readonly methods: ReadonlyArray<string>
  /** Anybody may ask there, without a token. */
  readonly isOpen: boolean
}

/** The methods that a path exists with, for the Allow header (RFC 9110, section 15.5.6). */
const methodsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
): ((path: string) => Allowed) => {
  const routes: Array<{ readonly method: string; readonly pattern: RegExp; readonly isOpen: boolean }> = pages.map(
    (path) => ({ method: "GET", pattern: patternOf(path), isOpen: true })
  )
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const isOpen = ![...middleware].some((_) => _.key === Authenticated.key)
      routes.push({ method: endpoint.method, pattern: patternOf(endpoint.path), isOpen })
    }
  })
  return (path) => {
    const found = routes.filter((_) => _.pattern.test(path))
    // The router answers a HEAD with what it has for a GET, and every OPTIONS is answered here.
    const methods = found.flatMap(({ method }) =>
      method === "GET" ? ["GET", "HEAD"] : method === "OPTIONS" ? [] : [method]
    )
    return { methods: [...new Set(methods)], isOpen: found.every((_) => _.isOpen) }
  }
}
