import { mcpPath } from "@portico/agent/AgentServer"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { documentAddresses } from "../documentAddresses.ts"
import { originOf } from "../discovery/discovery.ts"
import { pagesAt, renderFailures } from "../middleware/failures.ts"
import { withHeadersOfStatus } from "../middleware/headers.ts"
import { metered } from "../middleware/metered.ts"
import { withRequestId } from "../middleware/withRequestId.ts"
import { agentDiscoveryPath, discoveryPath } from "../requests/discoveryPath.ts"
import { pathOf } from "../requests/route.ts"
import { AgentApi } from "./AgentApi.ts"
import { origins } from "./origins.ts"
import { templates } from "./templates.ts"

const paths: ReadonlyArray<string> = [mcpPath, agentDiscoveryPath]

/** The endpoint's address with a slash at its end, as clients are often given it, is the same address. */
const withoutLastSlash = <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const path = paths.find((_) => pathOf(request.url) === `${_}/`)
    const url = path === undefined ? request.url : `${path}${request.url.slice(path.length + 1)}`
    return path === undefined
      ? httpEffect
      : Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })

/**
 * Middleware of every request to the agent plane, with or without a route. From the outside in: the
 * last slash, request id, origin,
 * rate limit, failures. The audit has no record of the request, because each tool call has a record of its own.
 */
export const agentMiddleware = HttpRouter.middleware(
  Effect.gen(function* () {
    const identified = withRequestId(templates)
    const fromAllowedPages = yield* origins
    const counted = yield* metered("agent")
    const withFailures = yield* renderFailures("agent", AgentApi, pagesAt([discoveryPath, agentDiscoveryPath]))
    const { server } = yield* documentAddresses("agent")

    const challenged = (answer: HttpServerResponse.HttpServerResponse) =>
      answer.status !== 401
        ? Effect.succeed(answer)
        : Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
            const metadata = `${originOf(server, request)}${discoveryPath}${mcpPath}`
            const challenge = `Bearer realm="portico", resource_metadata="${metadata}"`
            return HttpServerResponse.setHeader(answer, "www-authenticate", challenge)
          })

    return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      withoutLastSlash(
        identified(
          fromAllowedPages(
            Effect.map(Effect.flatMap(counted(withFailures(httpEffect)), challenged), withHeadersOfStatus)
          )
        )
      )
  }),
  { global: true }
)
