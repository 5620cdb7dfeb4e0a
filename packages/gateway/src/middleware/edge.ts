import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { auditCalls } from "../audit/auditCalls.ts"
import { templatesOf } from "../observability/templates.ts"
import { renderFailures } from "./failures.ts"
import { withObjectKeys } from "./objectKeys.ts"
import { withRequestId } from "./RequestId.ts"

/** Around every request of a plane, known path or not: its address and its id outside, then the record of it, its failures inside. */
export const edge = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const withFailures = renderFailures(api)
  const identified = withRequestId(templatesOf(api))
  return HttpRouter.middleware(
    Effect.map(
      auditCalls(api),
      (audited) => (httpEffect) => withObjectKeys(identified(audited(withFailures(httpEffect))))
    ),
    { global: true }
  )
}
