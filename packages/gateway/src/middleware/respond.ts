import { Failure } from "@portico/contract/Failures"
import { statuses } from "@portico/contract/failures/Resource"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

const encode = Schema.encodeEffect(Failure)

/** Renders a failure as a declared endpoint would. */
export const rendered = (failure: Failure): Effect.Effect<{ readonly status: number; readonly body: unknown }> =>
  Effect.map(Effect.orDie(encode(failure)), (body) => ({ status: statuses[failure._tag], body }))

export const respond = (failure: Failure): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(rendered(failure), ({ body, status }) => HttpServerResponse.jsonUnsafe(body, { status }))
