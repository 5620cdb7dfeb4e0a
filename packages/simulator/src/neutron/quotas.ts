import { Result } from "effect"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { integer, refusalOf } from "./attributes.ts"
import { answerOf, badRequest, overQuota, refuse, ruleRefused } from "./errors.ts"
import { call, param, type Request, wrapped } from "./request.ts"
import type { NeutronState } from "./state.ts"

/** Stock limits; -1 is unlimited. */
const defaults: Readonly<Record<string, number>> = {
  network: 100,
  subnet: 100,
  subnetpool: -1,
  port: 500,
  router: 10,
  floatingip: 50,
  rbac_policy: 10,
  security_group: 10,
  security_group_rule: 100
}

const limitsOf = (neutron: NeutronState, project: string): Readonly<Record<string, number>> => ({
  ...defaults,
  ...neutron.quotas[project]?.limits
})

const counted = (neutron: NeutronState): Readonly<Record<string, Record<string, { readonly project_id: string }>>> => ({
  network: neutron.networks,
  subnet: neutron.subnets,
  port: neutron.ports,
  router: neutron.routers,
  floatingip: neutron.floatingips,
  subnetpool: neutron.subnetpools,
  rbac_policy: neutron.rbac_policies,
  security_group: neutron.security_groups,
  security_group_rule: neutron.security_group_rules
})

const used = (neutron: NeutronState, project: string, resource: string): number =>
  Object.values(counted(neutron)[resource] ?? {}).filter((_) => _.project_id === project).length

/** Whether a project's quota allows this many more of a resource. */
export const checkQuota = (neutron: NeutronState, project: string, resource: string, more: number): Step<void> => {
  const limit = limitsOf(neutron, project)[resource] ?? -1
  return limit < 0 || used(neutron, project, resource) + more <= limit ? Result.void : overQuota([resource])
}

/** A tenant may read only its own quotas. */
const readable = (show: (request: Request, project: string) => unknown, refusal = ruleRefused("get_quota")) =>
  call((request) => {
    const project = param(request, "project")
    return request.scope.admin || request.scope.projectId === project
      ? Result.succeed(json(200, { quota: show(request, project) }))
      : refusal
  })

/** The details route has its own check and message instead of the policy's. */
const notAdmin = refuse(
  403,
  "AdminRequired",
  "User does not have admin privileges: Only admin is authorized to access quotas for another project."
)

const details = ({ neutron }: Request, project: string) =>
  Object.fromEntries(
    Object.entries(limitsOf(neutron, project)).map(([resource, limit]) => [
      resource,
      { limit, used: used(neutron, project, resource), reserved: 0 }
    ])
  )

const checkLimit = (resource: string, value: unknown): Step<number> => {
  const checked = integer(value)
  if ("wrong" in checked) return refusalOf(resource, checked)
  const limit = Number(checked.value)
  const invalid = (why: string) => badRequest(`Invalid input for ${resource}. Reason: '${limit}' is too ${why}.`)
  if (limit < -1) return invalid("small - must be at least '-1'")
  return limit > 2147483647 ? invalid("large - must be no larger than '2147483647'") : Result.succeed(limit)
}

/**
 * Since 2025.1 a limit below the usage is refused, unless `force` is the JSON value true; `check_limit` is still
 * accepted and has no effect.
 */
const update = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { neutron, scope } = request
    const project = param(request, "project")
    if (!scope.admin) return yield* ruleRefused("update_quota")
    const { force, check_limit: _, ...body } = yield* wrapped(request, "quota")
    const unknown = Object.keys(body).filter((key) => !Object.hasOwn(defaults, key))
    if (unknown.length > 0) return yield* badRequest(`Unrecognized attribute(s) '${unknown.join(", ")}'`)
    const limits: Record<string, number> = {}
    for (const [resource, value] of Object.entries(body)) limits[resource] = yield* checkLimit(resource, value)
    for (const [resource, limit] of Object.entries(limits)) {
      const usage = used(neutron, project, resource)
      if (force !== true && limit >= 0 && usage > limit) {
        return yield* badRequest(
          `Quota limit ${limit} for ${resource} must be greater than or equal to already used ${usage}`
        )
      }
    }
    if (Object.keys(limits).length > 0) {
      neutron.quotas[project] = { project_id: project, limits: { ...neutron.quotas[project]?.limits, ...limits } }
    }
    return json(200, { quota: limitsOf(neutron, project) })
  })

const reset = (request: Request): Step<Answer> => {
  const { neutron, scope } = request
  const project = param(request, "project")
  if (!scope.admin) return ruleRefused("delete_quota")
  if (neutron.quotas[project] === undefined) {
    return Result.fail(answerOf(404, "TenantQuotaNotFound", `Quota for tenant ${project} could not be found.`))
  }
  delete neutron.quotas[project]
  return Result.succeed(empty(204))
}

const index = ({ neutron, scope }: Request): Step<Answer> =>
  scope.admin
    ? Result.succeed(
        json(200, {
          quotas: Object.keys(neutron.quotas).map((_) => ({ ...limitsOf(neutron, _), project_id: _, tenant_id: _ }))
        })
      )
    : ruleRefused("get_quota")

export const quotaRoutes: Routes = {
  "GET /v2.0/quotas": call(index),
  "GET /v2.0/quotas/:project": readable(({ neutron }, project) => limitsOf(neutron, project)),
  "GET /v2.0/quotas/:project/default": readable(() => defaults),
  "GET /v2.0/quotas/:project/details": readable(details, notAdmin),
  "PUT /v2.0/quotas/:project": call(update),
  "DELETE /v2.0/quotas/:project": call(reset)
}
