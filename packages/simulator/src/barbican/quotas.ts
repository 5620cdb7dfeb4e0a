import { Result } from "effect"
import { objectAt } from "../Json.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { bodyOf, issue, schemaViolation, refuse } from "./answers.ts"
import { allUsers, call, permit, type Request, serviceAdmin } from "./policy.ts"
import { oldestFirst, pageOf } from "./refs.ts"
import type { QuotaRow } from "./state.ts"

const resources = ["secrets", "orders", "containers", "consumers", "cas"] as const
type Resource = (typeof resources)[number]

/** Stock limits: unlimited. */
const unlimited = -1

const operation = "Project Quotas"

const effective = ({ barbican }: Request, project: string, resource: Resource): number =>
  barbican.quotas[project]?.limits[resource] ?? unlimited

/**
 * Whether the token's project may create one more; a limit of 0 disables the resource.
 * @param held the number that the project has
 */
export const oneMore = (request: Request, doing: string, resource: Resource, held: number): Step<void> => {
  const limit = effective(request, request.scope.projectId, resource)
  return limit < 0 || held < limit
    ? Result.void
    : issue(403, doing, "Creation not allowed because a quota has been reached")
}

const show = ({ limits }: QuotaRow) => Object.fromEntries(resources.map((_) => [_, limits[_] ?? null]))

const ofProject = (request: Request): Step<QuotaRow> =>
  Result.gen(function* () {
    yield* permit(request, operation, serviceAdmin)
    const row = request.barbican.quotas[request.incoming.params["project"] ?? ""]
    return row ?? (yield* refuse(404, "Not Found. Sorry but your project quotas are in another castle."))
  })

const update = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    yield* permit(request, operation, serviceAdmin)
    const { incoming } = request
    if (incoming.body.length === 0) return yield* issue(400, operation, "No data supplied to process.")
    const given = yield* bodyOf(incoming, operation, "Project Quotas")
    if (!("project_quotas" in given)) {
      return yield* schemaViolation("Project Quotas", "'project_quotas' is a required property", "project_quotas")
    }
    const limits = objectAt(given, "project_quotas")
    const wrong = Object.entries(limits).find(
      ([name, value]) => !resources.some((_) => _ === name) || typeof value !== "number" || !Number.isInteger(value)
    )
    if (wrong !== undefined) {
      return yield* schemaViolation("Project Quotas", `${JSON.stringify(wrong[1])} is not an integer`, wrong[0])
    }
    const project_id = incoming.params["project"] ?? ""
    request.barbican.quotas[project_id] = {
      project_id,
      created: request.barbican.quotas[project_id]?.created ?? incoming.now,
      limits: Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, Number(value)]))
    }
    return empty(204)
  })

const list = (request: Request): Step<Answer> =>
  Result.map(permit(request, operation, serviceAdmin), () => {
    const rows = Object.values(request.barbican.quotas)
      .map((_) => ({ ..._, id: _.project_id }))
      .toSorted(oldestFirst)
      .map((_) => ({ project_id: _.project_id, project_quotas: show(_) }))
    return json(200, pageOf(request, "project_quotas", "project_quotas", rows))
  })

export const quotaRoutes: Routes = {
  "GET /v1/quotas": call((request) =>
    Result.map(permit(request, "Quotas", allUsers), () =>
      json(200, {
        quotas: Object.fromEntries(resources.map((_) => [_, effective(request, request.scope.projectId, _)]))
      })
    )
  ),
  "GET /v1/project-quotas": call(list),
  "GET /v1/project-quotas/:project": call((request) =>
    Result.map(ofProject(request), (_) => json(200, { project_quotas: show(_) }))
  ),
  "PUT /v1/project-quotas/:project": call(update),
  "DELETE /v1/project-quotas/:project": call((request) =>
    Result.map(ofProject(request), ({ project_id }) => {
      delete request.barbican.quotas[project_id]
      return empty(204)
    })
  )
}
