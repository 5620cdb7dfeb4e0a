import { type Answer, type Handler, json, originOf, type Routes, withOtherMethods, withTrailingSlash } from "../Wire.ts"
import { policyRefused, refuse } from "./answers.ts"
import { quotaRoutes } from "./quotas.ts"
import { recordsetRoutes } from "./recordsets.ts"
import { call } from "./request.ts"
import { taskRoutes } from "./tasks.ts"
import { transferRoutes } from "./transfers.ts"
import { zoneRoutes } from "./zones.ts"

/** Administrators' resources, which the simulator does not have. */
const operators: Routes = Object.fromEntries(
  ["tlds", "tsigkeys", "blacklists", "pools", "service_statuses"].flatMap((collection) =>
    ["GET", "POST"].map((method) => [`${method} /v2/${collection}`, call(() => policyRefused)] as const)
  )
)

/** The routes with an effect. */
export const table: Routes = {
  ...zoneRoutes,
  ...recordsetRoutes,
  ...taskRoutes,
  ...transferRoutes,
  ...quotaRoutes,
  ...operators
}

const notAllowed: Handler = call(() => refuse(405, "method_not_allowed"))

/** Needs no token; the links begin with the request's host. */
const versions: Handler = (incoming): Answer => {
  const href = `${originOf(incoming)}/dns/v2`
  return json(200, { versions: [{ id: "v2", status: "CURRENT", links: [{ href, rel: "self" }] }] })
}

/** A trailing slash is ignored. */
export const designateRoutes: Routes = {
  "GET /": versions,
  ...withTrailingSlash(withOtherMethods(table, notAllowed))
}
