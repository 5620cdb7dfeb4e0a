import { Tracing } from "@portico/upstream/Tracing"
import { Context, Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { randomUUID } from "node:crypto"
import { pathOf } from "../audit/Place.ts"
import { asRequest } from "../observability/tracing.ts"

/** The id under which a request stands in answers and logs: 32 hex digits. */
export const RequestId = Context.Reference<string>("portico/gateway/RequestId", { defaultValue: () => "" })

/** W3C Trace Context: version 00, ids in lower case and not all zero. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace id of a valid `traceparent`, or a new random one. */
export const requestIdOf = (header: string | undefined): string =>
  Option.getOrElse(Option.fromNullishOr(header === undefined ? undefined : traceparent.exec(header)?.[1]), () =>
    randomUUID().replaceAll("-", "")
  )

/** Under which a request is found in the log, and in the traces when they are exported. */
export interface RequestIds {
  readonly request_id: string
  readonly trace_id: string
}

/** Without traces, a request is its own. */
export const untraced = (requestId: string): RequestIds => ({ request_id: requestId, trace_id: requestId })

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
