import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { auditCalls } from "../audit/auditCalls.ts"
import { templatesOf } from "../observability/templates.ts"
import { type OpenRoute, pagesAt, renderFailures } from "./failures.ts"
import { withHeadersOfStatus } from "./headers.ts"
import { metered } from "./metered.ts"
import { consoleRoutes } from "../requests/consolePaths.ts"
import { withObjectKeys } from "./objectKeys.ts"
import { discoveryPath } from "../requests/discoveryPath.ts"
import { referencePaths } from "../requests/referencePaths.ts"
import { withRequestId } from "./withRequestId.ts"

/**
 * Middleware of every request of a plane, with or without a route. From the outside in: object-key normalization,
 * request id, audit record, rate limit, failures.
 */
export const planeMiddleware = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  plane: Plane,
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const identified = withRequestId(templatesOf(api))
  return HttpRouter.middleware(
    Effect.map(
      Effect.all([
        auditCalls(api),
        plane === "operator" ? unlimited : metered(plane),
        renderFailures(plane, api, pagesOf(plane))
      ]),
      ([audited, counted, withFailures]) =>
        (httpEffect) =>
          withObjectKeys(identified(Effect.map(audited(counted(withFailures(httpEffect))), withHeadersOfStatus)))
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
