import { Tracing } from "@portico/upstream/Tracing"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { asRequest } from "../observability/tracing.ts"
import { pathOf } from "../requests/Place.ts"
import { RequestId, requestIdOf, untraced } from "../requests/RequestId.ts"

/**
 * Gives a request its id, its answer `X-Request-Id`, and its trace a beginning.
 *
 * @param routeOf the route of a path, as an endpoint declares it
 */
export const withRequestId =
  (routeOf: (path: string) => string | undefined) =>
  <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { traceparent } = request.headers
      const id = requestIdOf(traceparent)
      const answer = (yield* Tracing)
        ? asRequest({
            method: request.method,
            route: routeOf(pathOf(request.url)) ?? "none",
            traceparent,
            requestId: id
          })(httpEffect, ({ status }) => status)
        : httpEffect
      return yield* answer.pipe(
        Effect.map(HttpServerResponse.setHeader("x-request-id", id)),
        Effect.provideService(RequestId, id),
        Effect.annotateLogs({ ...untraced(id) })
      )
    })
