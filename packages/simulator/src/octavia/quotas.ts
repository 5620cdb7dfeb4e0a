import { Result } from "effect"
import { has, objectAt } from "../Json.ts"
import { repr, str } from "../python.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { allowed, call, policyRefused, refuse, type Request } from "./policy.ts"
import type { Children, OctaviaState } from "./state.ts"
import { titles } from "./tree.ts"

/** Stock limits: unlimited. */
const defaults: Readonly<Record<string, number>> = {
  loadbalancer: -1,
  listener: -1,
  member: -1,
  pool: -1,
  healthmonitor: -1,
  l7policy: -1,
  l7rule: -1
}

/** Deprecated spellings. They are still accepted; a project's limits and the defaults show only these. */
const spellings: Readonly<Record<string, string>> = { load_balancer: "loadbalancer", health_monitor: "healthmonitor" }

const limitsOf = (octavia: OctaviaState, project: string): Readonly<Record<string, number>> => ({
  ...defaults,
  ...octavia.quotas[project]?.limits
})

/** Limits only: this service does not show the usage. */
const show = (limits: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [oldSpellings[name] ?? name, limit]))

/** In the list of all quotas, an unset limit is null, and both spellings are shown. */
const row = (project_id: string, limits: Readonly<Record<string, number>>) => {
  const all = Object.fromEntries(Object.keys(defaults).map((name) => [name, limits[name] ?? null]))
  const old = Object.fromEntries(Object.entries(spellings).map(([old, name]) => [old, all[name]]))
  return { project_id, tenant_id: project_id, ...all, ...old }
}

const oldSpellings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(spellings).map(([old, name]) => [name, old])
)

const names: Readonly<Record<Children | "loadbalancers", readonly [string, string]>> = {
  loadbalancers: ["loadbalancer", "Load Balancer"],
  listeners: ["listener", titles.listeners],
  pools: ["pool", titles.pools],
  members: ["member", titles.members],
  healthmonitors: ["healthmonitor", titles.healthmonitors],
  l7policies: ["l7policy", titles.l7policies],
  l7rules: ["l7rule", titles.l7rules]
}

/** Whether a project's quota allows this many more of a kind. */
export const checkQuota = (
  octavia: OctaviaState,
  project: string,
  kind: Children | "loadbalancers",
  more: number
): Step<void> => {
  const [name, title] = names[kind]
  const limit: number = limitsOf(octavia, project)[name] ?? -1
  const used = Object.values<{ readonly project_id: string }>(octavia[kind]).filter((_) => _.project_id === project)
  return limit < 0 || used.length + more <= limit
    ? Result.void
    : refuse(403, `Quota has been met for resources: ${title}`)
}

const projectOf = ({ incoming }: Request): string => incoming.params["project"] ?? ""

const readable = (shown: (octavia: OctaviaState, project: string) => unknown) =>
  call((request) =>
    Result.map(allowed(request, projectOf(request)), () =>
      json(200, { quota: shown(request.incoming.world.octavia, projectOf(request)) })
    )
  )

/** The usage is not checked, so every limit from -1 on is valid; null resets to the default. */
const update = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, scope } = request
    const { octavia } = incoming.world
    const project = projectOf(request)
    if (!scope.admin) return yield* policyRefused
    if (!has(incoming.json, "quota")) return yield* refuse(400, 'Missing argument: "quotas"')
    const limits: Record<string, number> = { ...octavia.quotas[project]?.limits }
    for (const [given, value] of Object.entries(objectAt(incoming.json, "quota"))) {
      const name = spellings[given] ?? given
      if (!Object.hasOwn(defaults, name))
        return yield* refuse(400, `Unknown attribute for argument quotas.quota: ${given}`)
      if (value === null) delete limits[name]
      else limits[name] = yield* limitFrom(incoming, given, value)
    }
    octavia.quotas[project] = { project_id: project, limits }
    return json(202, { quota: show(limitsOf(octavia, project)) })
  })

/** What Python's `int()` makes of it: a fraction is cut off, and text may be a number. */
const limitFrom = ({ json: body }: Request["incoming"], given: string, value: unknown): Step<number> => {
  const number = typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value
  if (typeof number !== "number") {
    const all = `Invalid input for field/attribute quotas. Value: '${repr(body)}'.`
    return refuse(400, `${all} invalid literal for int() with base 10: ${repr(value)}`)
  }
  const invalid = `Invalid input for field/attribute ${given}. Value: '${str(value)}'.`
  if (number < -1) return refuse(400, `${invalid} Value should be greater or equal to -1`)
  return number > 2_000_000_000
    ? refuse(400, `${invalid} Value should be lower or equal to 2000000000`)
    : Result.succeed(Math.trunc(number))
}

const reset = (request: Request): Step<Answer> => {
  const { octavia } = request.incoming.world
  const project = projectOf(request)
  if (!request.scope.admin) return policyRefused
  if (octavia.quotas[project] === undefined) return refuse(404, `Quotas ${project} not found.`)
  delete octavia.quotas[project]
  return Result.succeed(empty(202))
}

const list = ({ incoming, scope }: Request): Step<Answer> => {
  const { octavia } = incoming.world
  const quotas = Object.keys(octavia.quotas)
    .filter((_) => scope.admin || _ === scope.projectId)
    .map((project_id) => row(project_id, octavia.quotas[project_id]?.limits ?? {}))
  return Result.succeed(json(200, { quotas, quotas_links: [] }))
}

export const quotaRoutes: Routes = {
  "GET /v2/lbaas/quotas": call(list),
  "GET /v2/lbaas/quotas/defaults": call(() => Result.succeed(json(200, { quota: show(defaults) }))),
  "GET /v2/lbaas/quotas/:project": readable((octavia, project_id) => show(limitsOf(octavia, project_id))),
  "GET /v2/lbaas/quotas/:project/default": readable(() => show(defaults)),
  "PUT /v2/lbaas/quotas/:project": call(update),
  "DELETE /v2/lbaas/quotas/:project": call(reset)
}
