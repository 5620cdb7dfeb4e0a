import { Result } from "effect"
import type { JsonObject } from "../Json.ts"
import { type Answer, json, type Routes, type Step } from "../Wire.ts"
import { listed } from "./lists.ts"
import { call, policyRefused, type Request } from "./policy.ts"

const providers = [
  { name: "amphora", description: "The Octavia Amphora driver." },
  { name: "octavia", description: "Deprecated alias of the Octavia Amphora driver." }
]

const list =
  (collection: string, filters: ReadonlyArray<string>, things: ReadonlyArray<JsonObject>) =>
  (request: Request): Step<Answer> =>
    listed(request, collection, new Set(filters), things)

const forAdministrators =
  (handler: (request: Request) => Step<Answer>) =>
  (request: Request): Step<Answer> =>
    request.scope.admin ? handler(request) : policyRefused

const described = ["id", "name", "description", "enabled"]

/** The stock providers, and neither flavors nor availability zones. */
export const catalogRoutes: Routes = {
  "GET /v2/lbaas/providers": call((request) =>
    Result.map(list("providers", ["name", "description"], providers)(request), (_) => {
      const fields = request.incoming.query.has("fields")
      return fields ? _ : json(200, { providers })
    })
  ),
  "GET /v2/lbaas/flavors": call(list("flavors", [...described, "flavor_profile_id"], [])),
  "GET /v2/lbaas/flavorprofiles": call(forAdministrators(list("flavorprofiles", ["id", "name", "provider_name"], []))),
  "GET /v2/lbaas/availabilityzones": call(list("availability_zones", described, [])),
  "GET /v2/octavia/amphorae": call(forAdministrators(list("amphorae", ["id", "loadbalancer_id", "status"], [])))
}
