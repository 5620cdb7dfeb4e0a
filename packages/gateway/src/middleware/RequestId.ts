import { Context, Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { randomUUID } from "node:crypto"

/** The id under which a request stands in answers and logs: 32 hex digits. */
export const RequestId = Context.Reference<string>("portico/gateway/RequestId", { defaultValue: () => "" })

/** W3C Trace Context: version 00, ids in lower case and not all zero. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace id of a valid `traceparent`, or a new random one. */
export const requestIdOf = (header: string | undefined): string =>
  Option.getOrElse(Option.fromNullishOr(header === undefined ? undefined : traceparent.exec(header)?.[1]), () =>
    randomUUID().replaceAll("-", "")
  )

/** Gives a request its id, and its answer `X-Request-Id`. */
export const withRequestId = <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const id = requestIdOf(request.headers["traceparent"])
    return httpEffect.pipe(
      Effect.map(HttpServerResponse.setHeader("x-request-id", id)),
      Effect.provideService(RequestId, id),
      Effect.annotateLogs("request_id", id)
    )
  })
