import { version } from "@portico/contract/Api"
import { type Failure, NotFound } from "@portico/contract/Failures"
import { peopleScopes } from "@portico/contract/openapi/security"
import type { ConsolePlane } from "@portico/store/ConsoleSessions"
import { S3 } from "@portico/upstream/rgw/S3"
import { ConsoleLogins } from "@portico/upstream/zitadel/ConsoleLogins"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { agentUrl, originOf } from "../discovery/discovery.ts"
import { documentAddresses } from "../documentAddresses.ts"
import { respond } from "../middleware/respond.ts"
import { consoleConfigPath, consolePrefix, consoleRefreshPath, consoleSessionPath } from "../requests/consolePaths.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import { ConsoleFiles } from "./ConsoleFiles.ts"
import { headersOf, noStore } from "./headers.ts"
import { pages } from "./pages.ts"
import type { SessionRefused } from "./refusals.ts"
import { sessionRoutes } from "./session.ts"

type Handler = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, Failure | SessionRefused>

const absent: Handler = () => Effect.fail(NotFound.route())

/**
 * The console of a plane: its files, what it has to know before a login, and its sessions. None of it needs a token, and
 * none of it is part of the API.
 */
export const consoleOf = (plane: ConsolePlane) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { headers, onSession, toConfig } = yield* partsOf(plane)
      const files = yield* ConsoleFiles
      const route = (method: "GET" | "POST" | "DELETE", path: `/${string}`, handler: Handler) =>
        HttpRouter.add(method, path, (request) =>
          Effect.map(rendered(handler(request)), HttpServerResponse.setHeaders(headers))
        )
      return Layer.mergeAll(
        // The router takes the path without the slash for the same route.
        route("GET", `${consolePrefix}*`, (request) => pages(plane, files, request)),
        route("GET", consoleConfigPath, toConfig),
        route("POST", consoleSessionPath, onSession.login),
        route("DELETE", consoleSessionPath, onSession.logout),
        route("POST", consoleRefreshPath, onSession.refresh)
      )
    })
  )

const rendered = (
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, Failure | SessionRefused>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.catch(answer, (failure) =>
    Effect.map(
      failure._tag === "SessionRefused"
        ? Effect.succeed(HttpServerResponse.jsonUnsafe(failure.body, { status: failure.status }))
        : respond(failure),
      HttpServerResponse.setHeaders(noStore)
    )
  )

const partsOf = Effect.fnUntraced(function* (plane: ConsolePlane) {
  const addresses = yield* documentAddresses(plane)
  const { issuer, server } = addresses
  const objectStorage = new URL((yield* S3).endpoint).origin
  const headers = headersOf(objectStorage)
  const { api } = yield* ConsoleLogins
  if (api === undefined) {
    return { headers, toConfig: absent, onSession: { login: absent, refresh: absent, logout: absent } }
  }
  const sources = yield* SourceAddresses
  const agents = yield* agentUrl
  const baseOf = (request: HttpServerRequest.HttpServerRequest) => originOf(server, request)
  const toConfig: Handler = (request) =>
    Effect.map(agents, (agent) =>
      HttpServerResponse.jsonUnsafe(
        {
          plane,
          version,
          client_id: api.clientId,
          authorization_endpoint: `${issuer}/oauth/v2/authorize`,
          end_session_endpoint: `${issuer}/oidc/v1/end_session`,
          scope: peopleScopes(addresses).join(" "),
          your_address: sources.of(arrivalOf(request)) ?? null,
          object_storage_origin: objectStorage,
          api_url: baseOf(request),
          agent_url: agent ?? null
        },
        { headers: noStore }
      )
    )
  const onSession = yield* sessionRoutes(plane, baseOf)
  return { headers, toConfig, onSession }
})
