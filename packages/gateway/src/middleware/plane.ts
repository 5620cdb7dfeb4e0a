import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { auditCalls } from "../audit/auditCalls.ts"
import { templatesOf } from "../observability/templates.ts"
import { SessionPlace } from "@portico/store/client/SessionPlace"
import { DatabaseShares } from "../limits/DatabaseShares.ts"
import { pathOf } from "../requests/route.ts"
import { type OpenRoute, pagesAt, renderFailures } from "./failures.ts"
import { withHeadersOfStatus } from "./headers.ts"
import { metered } from "./metered.ts"
import { consoleRoutes } from "../requests/consolePaths.ts"
import { discoveryPath } from "../requests/discoveryPath.ts"
import { referencePaths } from "../requests/referencePaths.ts"
import { withRequestId } from "./withRequestId.ts"

/**
 * Middleware of every request of a plane, with or without a route. From the outside in: request id, share of the
 * database, audit record, rate limit, failures.
 */
export const planeMiddleware = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  plane: Plane,
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const identified = withRequestId(templatesOf(api))
  return HttpRouter.middleware(
    Effect.map(
      Effect.all([
        DatabaseShares,
        auditCalls(api),
        plane === "operator" ? unlimited : metered(plane),
        renderFailures(plane, api, pagesOf(plane))
      ]),
      ([shares, audited, counted, withFailures]) =>
        (httpEffect) => {
          const answered = Effect.map(audited(counted(withFailures(httpEffect))), withHeadersOfStatus)
          const placed = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
            Effect.provideService(answered, SessionPlace, shares.arriving(plane, method, pathOf(url)))
          )
          return identified(placed)
        }
    ),
    { global: true }
  )
}

/** The pages of a plane beside its API. Metrics are on the operator plane only. */
const pagesOf = (plane: Plane): ReadonlyArray<OpenRoute> => [
  ...pagesAt([...referencePaths, discoveryPath, ...(plane === "operator" ? ["/metrics"] : [])]),
  ...(plane === "agent" ? [] : consoleRoutes)
]

const unlimited = Effect.succeed(
  <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => httpEffect
)
