import { BadRequest, Failure, Internal, MethodNotAllowed, NotFound, Unavailable } from "@portico/contract/Failures"
import { Cause, Effect, Option, Schema } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { pathOf } from "../audit/Place.ts"
import { patternOf } from "../audit/routePlace.ts"
import { respond } from "./respond.ts"

const isFailure = Schema.is(Failure)

/**
 * What no endpoint rendered becomes an answer here: a path that is not there,
 * a method that is not, a failure of a catch-all route, and a bug, of which
 * the caller learns nothing but the request id. A request that is cut off
 * because the process stops is told so; a client that went is told nothing.
 *
 * @param api the plane's, so that a route of the other plane answers like a random path
 */
export const renderFailures = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const allowed = methodsOf(api)

  const absent = (request: HttpServerRequest.HttpServerRequest) => {
    const methods = allowed(pathOf(request.url))
    // A known method that found no route: its id cannot be decoded, or is longer than any id.
    return methods.length === 0 || methods.includes(request.method)
      ? respond(NotFound.route())
      : Effect.map(respond(MethodNotAllowed.method()), HttpServerResponse.setHeader("allow", methods.join(", ")))
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
}

/** Nobody waits for the answer. */
const isLeft = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((_) => _.annotations.has(HttpServerError.ClientAbort.key))

/** The router begins the query at a `;` or `#` as well, where hardly any other reader does. */
const readOneWay = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
  /[;#]/.test(pathOf(url))
    ? Effect.fail(BadRequest.pathNotCanonical("it holds characters that have to be encoded"))
    : Effect.void
)

/** The methods that a path exists with, for the Allow header (RFC 9110, section 15.5.6). */
const methodsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((path: string) => ReadonlyArray<string>) => {
  const routes: Array<{ readonly method: string; readonly pattern: RegExp }> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      routes.push({ method: endpoint.method, pattern: patternOf(endpoint.path) })
    }
  })
  return (path) => {
    const methods = routes.filter((_) => _.pattern.test(path)).map((_) => _.method)
    // The router answers a HEAD with what it has for a GET.
    return [...new Set(methods.flatMap((_) => (_ === "GET" ? ["GET", "HEAD"] : [_])))].toSorted()
  }
}
