import { Result } from "effect"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { onlyKeys, policyRefused, refuse } from "./answers.ts"
import { defaults, limitsOf } from "./limits.ts"
import { bodyOf, call, param, type Request } from "./request.ts"

/** Access to another project's quotas needs the all-projects header, even for an administrator. */
const permitted = ({ everywhere, projectId, scope }: Request, project: string, write: boolean): boolean =>
  (scope.admin || (!write && project === projectId)) && (project === projectId || everywhere)

const quotaCall = (write: boolean, handler: (request: Request, project: string) => Step<Answer>) =>
  call((request) => {
    const project = request.incoming.params["project"] ?? request.projectId
    return permitted(request, project, write) ? handler(request, project) : policyRefused
  })

const show = ({ designate }: Request, project: string): Step<Answer> =>
  Result.succeed(json(200, limitsOf(designate, project)))

const update = (request: Request, project: string): Step<Answer> =>
  Result.gen(function* () {
    const { quotas } = request.designate
    const given = yield* bodyOf(request)
    yield* onlyKeys("quota", given, new Set(Object.keys(defaults)))
    const limits: Record<string, number> = { ...quotas[project]?.limits }
    for (const [resource, limit] of Object.entries(given)) {
      if (typeof limit !== "number" || !Number.isInteger(limit) || limit < -1 || limit > 2147483647) {
        const message = `Provided object is not valid. Got a ValueError error with message ${resource}`
        return yield* refuse(400, "invalid_object", message)
      }
      limits[resource] = limit
    }
    quotas[project] = { project_id: project, limits }
    return yield* show(request, project)
  })

const reset = (request: Request): Step<Answer> => {
  delete request.designate.quotas[param(request, "project")]
  return Result.succeed(empty(204))
}

/** What the project may create, and the bounds of single fields: the stock configuration of central and API. */
const absolute = (request: Request): Step<Answer> => {
  const limits = limitsOf(request.designate, request.projectId)
  return Result.succeed(
    json(200, {
      max_zones: limits["zones"],
      max_zone_recordsets: limits["zone_recordsets"],
      max_zone_records: limits["zone_records"],
      max_recordset_records: limits["recordset_records"],
      min_ttl: 0,
      max_zone_name_length: 255,
      max_recordset_name_length: 255,
      max_page_limit: 1000
    })
  )
}

export const quotaRoutes: Routes = {
  "GET /v2/limits": call(absolute),
  "GET /v2/quotas": quotaCall(false, show),
  "GET /v2/quotas/:project": quotaCall(false, show),
  "PATCH /v2/quotas/:project": quotaCall(true, update),
  "DELETE /v2/quotas/:project": quotaCall(true, reset)
}
