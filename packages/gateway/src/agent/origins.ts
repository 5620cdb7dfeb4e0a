import { Forbidden } from "@portico/contract/Failures"
import { Config, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { respond } from "../middleware/respond.ts"

/** The headers that a page may send, and those that it may read (Fetch, section 3.3). */
const sent =
  "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, traceparent"
const read =
  "mcp-protocol-version, mcp-session-id, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, www-authenticate, x-request-id"

/**
 * Limits the pages in browsers that may use the agent plane to those of `AGENT_ALLOWED_ORIGINS`, by default none. The
 * gateway refuses a request of another page before any other check. A browser names the page's origin, so that a page
 * whose name was made to resolve to this address (DNS rebinding) is refused too. Other clients send no `Origin`.
 */
export const origins = Effect.map(
  Config.String("AGENT_ALLOWED_ORIGINS").pipe(Config.withDefault("")),
  (list): (<E, R>(httpEffect: HttpEffect<E, R>) => HttpEffect<E, R>) => {
    const allowed: ReadonlySet<string> = new Set(
      list
        .split(",")
        .map((_) => _.trim())
        .filter((_) => _ !== "")
    )
    return (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method }) => {
        const { origin } = headers
        if (origin === undefined) return httpEffect
        if (!allowed.has(origin)) return respond(Forbidden.originNotAllowed())
        const asks = method === "OPTIONS" && headers["access-control-request-method"] !== undefined
        return Effect.map(
          asks ? Effect.succeed(preflight) : httpEffect,
          HttpServerResponse.setHeaders({
            "access-control-allow-origin": origin,
            "access-control-expose-headers": read,
            vary: "origin"
          })
        )
      })
  }
)

type HttpEffect<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest>

const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    "access-control-allow-methods": "POST, DELETE",
    "access-control-allow-headers": sent,
    "access-control-max-age": "600"
  }
})
