import { type Answer, type Handler, json, type Routes } from "../Wire.ts"
import { policyRefused, refuse } from "./answers.ts"
import { quotaRoutes } from "./quotas.ts"
import { recordsetRoutes } from "./recordsets.ts"
import { call } from "./request.ts"
import { taskRoutes } from "./tasks.ts"
import { transferRoutes } from "./transfers.ts"
import { zoneRoutes } from "./zones.ts"

/** For administrators alone, and in this world not even for them. */
const operators: Routes = Object.fromEntries(
  ["tlds", "tsigkeys", "blacklists", "pools", "service_statuses"].flatMap((collection) =>
    ["GET", "POST"].map((method) => [`${method} /v2/${collection}`, call(() => policyRefused)] as const)
  )
)

/** What the service really does. */
export const table: Routes = {
  ...zoneRoutes,
  ...recordsetRoutes,
  ...taskRoutes,
  ...transferRoutes,
  ...quotaRoutes,
  ...operators
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const notAllowed: Handler = call(() => refuse(405, "method_not_allowed"))

/** Every method that a known path does not have: recordsets, for one, know no PATCH. */
const refused: Routes = Object.fromEntries(
  Object.keys(table).flatMap((route) =>
    methods
      .map((method) => `${method} ${route.split(" ")[1]}`)
      .filter((_) => !Object.hasOwn(table, _))
      .map((_) => [_, notAllowed] as const)
  )
)

/** For everybody, with links that begin with the host that was asked. */
const versions: Handler = (incoming): Answer => {
  const href = `http://${incoming.headers["host"] ?? "localhost"}/dns/v2`
  return json(200, { versions: [{ id: "v2", status: "CURRENT", links: [{ href, rel: "self" }] }] })
}

/** A slash at the end changes nothing. */
export const designateRoutes: Routes = {
  "GET /": versions,
  ...Object.fromEntries(
    Object.entries({ ...refused, ...table }).flatMap(([route, handler]) => [
      [route, handler],
      [`${route}/`, handler]
    ])
  )
}
