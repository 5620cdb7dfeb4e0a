import { randomUUID } from "node:crypto"
import { entry, has, type JsonObject, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, empty, isAnswer, json, type Routes } from "../Wire.ts"
import type { World } from "../World.ts"
import { type RequestHandler, type Request, computeRoute, memberRoute, ofOne } from "./request.ts"
import { badRequest, fault, invalidField, notFound, policyRefuses } from "./fault.ts"
import { pageOf } from "./paging.ts"
import { limitOf } from "./quotas.ts"
import type { ServerGroup } from "./state.ts"

const policies = ["affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"]

/** The servers that were scheduled with a group and are not deleted. */
const membersOf = ({ nova }: World, groupId: string) =>
  Object.values(nova.servers).filter((_) => _.group_id === groupId)

/** The hints of a new server for the scheduler; the older name is an alias. */
export const hintsOf = ({ json }: Request): JsonObject => {
  const body = objectAt(json)
  return objectAt(body["os:scheduler_hints"] ?? body["OS-SCH-HNT:scheduler_hints"])
}

/** The refusal of the group in a new server's hints; undefined when it exists and has room. */
export const wrongGroup = (request: Request, count: number): Answer | undefined => {
  const { scope, world } = request
  const id = stringAt(hintsOf(request), "group")
  if (id === undefined) return undefined
  const group = entry(world.nova.server_groups, id)
  if (group?.project_id !== scope.projectId) return badRequest(`Instance group ${id} could not be found.`)
  const limit = limitOf(world, scope.projectId, "server_group_members")
  return limit >= 0 && membersOf(world, id).length + count > limit
    ? fault(403, "Quota exceeded, too many servers in group")
    : undefined
}

/** `policy` with rules from microversion 2.64; before it a list with one policy. */
const show = ({ minor, world }: Request, group: ServerGroup) => ({
  id: group.id,
  name: group.name,
  members: membersOf(world, group.id).map((_) => _.id),
  ...(minor < 64 ? { policies: [group.policy], metadata: {} } : { policy: group.policy, rules: group.rules }),
  ...(minor < 13 ? {} : { project_id: group.project_id, user_id: group.user_id })
})

/** `all_projects` is effective for administrators, with any value. */
const index: RequestHandler = (request) => {
  const { query, scope, world } = request
  const all = query.has("all_projects")
  if (all && !scope.admin) return policyRefuses("os_compute_api:os-server-groups:index:all_projects")
  const found = Object.values(world.nova.server_groups).filter((_) => all || _.project_id === scope.projectId)
  const page = pageOf(request, found)
  return isAnswer(page) ? page : json(200, { server_groups: page.items.map((_) => show(request, _)) })
}

const create: RequestHandler = (request) => {
  const { json: body, minor, now, scope, world } = request
  if (!has(body, "server_group")) return badRequest("'server_group' is a required property")
  const given = objectAt(body, "server_group")
  const name = stringAt(given, "name")
  const policy = minor < 64 ? (stringsAt(given, "policies") ?? [])[0] : stringAt(given, "policy")
  const known = minor < 64 ? ["name", "policies"] : ["name", "policy", "rules"]
  const unknown = Object.keys(given).find((_) => !known.includes(_))
  if (unknown !== undefined) {
    return invalidField("server_group", given, `Additional properties are not allowed ('${unknown}' was unexpected)`)
  }
  if (name === undefined || name.trim() === "" || name.length > 255) return invalidField("name", given["name"], "")
  if (policy === undefined || !policies.slice(0, minor < 15 ? 2 : 4).includes(policy)) {
    return invalidField("policy", policy, `is not one of ${policies.join(", ")}`)
  }
  const limit = limitOf(world, scope.projectId, "server_groups")
  const held = Object.values(world.nova.server_groups).filter((_) => _.project_id === scope.projectId)
  if (limit >= 0 && held.length >= limit) return fault(403, "Quota exceeded, too many server groups.")
  const group: ServerGroup = {
    id: randomUUID(),
    project_id: scope.projectId,
    user_id: scope.userId,
    name,
    policy,
    rules: objectAt(given, "rules"),
    created_at: now
  }
  world.nova.server_groups[group.id] = group
  return json(200, { server_group: show(request, group) })
}

const ofGroup = ofOne(
  (_) => _.server_groups,
  (id) => notFound(`Instance group ${id} could not be found.`)
)

export const serverGroupRoutes: Routes = {
  "GET /v2.1/os-server-groups": computeRoute(index),
  "POST /v2.1/os-server-groups": memberRoute("os-server-groups:create", create),
  "GET /v2.1/os-server-groups/:id": computeRoute(
    ofGroup((request, group) => json(200, { server_group: show(request, group) }))
  ),
  "DELETE /v2.1/os-server-groups/:id": memberRoute(
    "os-server-groups:delete",
    ofGroup(({ world }, group) => {
      delete world.nova.server_groups[group.id]
      return empty(204)
    })
  )
}
