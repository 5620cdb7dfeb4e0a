import { Tracing } from "@portico/upstream/Tracing"
import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { asRequest } from "../observability/tracing.ts"
import { pathOf } from "../requests/route.ts"
import { withOwnHeaders } from "./headers.ts"
import { RequestId, requestIdOf, untraced } from "../requests/RequestId.ts"

/**
 * Gives a request its id, its answer the `X-Request-Id` header and the headers of every answer, and starts its trace.
 *
 * @param routeOf finds the declared route of a path
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
        Effect.map(withOwnHeaders(id)),
        Effect.provideService(RequestId, id),
        Effect.annotateLogs({ ...untraced(id) })
      )
    })
