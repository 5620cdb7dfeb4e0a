import { Failure } from "@portico/contract/Failures"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

const statuses = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  Conflict: 409,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  Unprocessable: 422,
  TooManyRequests: 429,
  Internal: 500,
  BadGateway: 502,
  Unavailable: 503
} satisfies Record<Failure["_tag"], number>

const encode = Schema.encodeEffect(Failure)

/** A failure as a declared endpoint would answer it. */
export const rendered = (failure: Failure): Effect.Effect<{ readonly status: number; readonly body: unknown }> =>
  Effect.map(Effect.orDie(encode(failure)), (body) => ({ status: statuses[failure._tag], body }))

export const respond = (failure: Failure): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(rendered(failure), ({ body, status }) => HttpServerResponse.jsonUnsafe(body, { status }))
