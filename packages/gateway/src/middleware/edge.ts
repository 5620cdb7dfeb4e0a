import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { auditCalls } from "../audit/auditCalls.ts"
import { templatesOf } from "../observability/templates.ts"
import { renderFailures } from "./failures.ts"
import { metered } from "./metered.ts"
import { withObjectKeys } from "./objectKeys.ts"
import { withRequestId } from "./RequestId.ts"

/** Around every request of a plane, known path or not: its address and its id outside, then the record of it, its count, its failures inside. */
export const edge = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  plane: Plane,
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const withFailures = renderFailures(api)
  const identified = withRequestId(templatesOf(api))
  return HttpRouter.middleware(
    Effect.map(
      Effect.all([auditCalls(api), plane === "customer" ? metered : unlimited]),
      ([audited, counted]) =>
        (httpEffect) =>
          withObjectKeys(identified(audited(counted(withFailures(httpEffect)))))
    ),
    { global: true }
  )
}

const unlimited = Effect.succeed(
  <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => httpEffect
)
