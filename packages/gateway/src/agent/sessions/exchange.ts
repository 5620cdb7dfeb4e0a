import { Effect, Fiber, type Scope } from "effect"
import { Headers, HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

/** The MCP server of the library: one endpoint, whose sessions are in this process. */
export type Endpoint = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * A request to the endpoint, with a body that was read already.
 *
 * @param search the query of the client's request, with its question mark
 */
export const requestTo = (
  method: "POST" | "DELETE",
  headers: Readonly<Record<string, string | undefined>>,
  body?: string,
  search = ""
): HttpServerRequest.HttpServerRequest => {
  const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const request = templates[method].modify({
    url: `/mcp${search}`,
    headers: Headers.fromRecordUnsafe(Object.fromEntries(given))
  })
  // A new web request for each call would take 0.1 ms. The library only reads the text of a request.
  return body === undefined ? request : Object.defineProperty(request, "text", { value: Effect.succeed(body) })
}

const templateOf = (method: "POST" | "DELETE") =>
  HttpServerRequest.fromWeb(new Request("http://portico/mcp", { method }))

const templates = { POST: templateOf("POST"), DELETE: templateOf("DELETE") }

/**
 * Sends a request to the endpoint and returns its answer with the final headers: the library adds the session's id when
 * it sends the answer. The exchange cannot be interrupted, because only the answer names a session that it opened.
 */
export const exchanged = (
  endpoint: Endpoint,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.suspend(() => {
    let answer = HttpServerResponse.empty({ status: 500 })
    return HttpEffect.toHandled(endpoint, (_, response) => Effect.sync(() => void (answer = response))).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.forkChild,
      Effect.flatMap(Fiber.join),
      Effect.map(() => answer),
      Effect.uninterruptible
    )
  })
