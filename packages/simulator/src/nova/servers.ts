import { has, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, isAnswer, json, type Routes } from "../Wire.ts"
import { type Request, computeBase, computeRoute, lockedFor, memberRoute, ofServer } from "./request.ts"
import { release } from "./attachments.ts"
import { attributesOf } from "./attributes.ts"
import { create } from "./create.ts"
import { badRequest, booleanOf, misfit, misfitQuery, policyRefuses } from "./fault.ts"
import { note } from "./history.ts"
import { pageOf, sortedBy } from "./paging.ts"
import { type Server, serverDelay } from "./state.ts"
import { listed, matches } from "./serverFilters.ts"
import { serversQuery, updateServer } from "./schemas.ts"
import { showChanged, showServer, summary } from "./view.ts"

/**
 * The project whose servers are listed, or null for all. Without `all_tenants` an administrator sees only its
 * own project too, whichever project it names; an empty `all_tenants` is true.
 */
const projectOf = ({ query, scope }: Request, rule: string): string | null | Answer => {
  const allTenants = query.get("all_tenants")
  const all = allTenants === null ? false : allTenants === "" ? true : booleanOf(allTenants)
  if (all === undefined) {
    return badRequest(
      `Invalid input received: Unrecognized value '${allTenants}', acceptable values are: '0', '1', 'f', 'false', 'n', ` +
        "'no', 'off', 'on', 't', 'true', 'y', 'yes'"
    )
  }
  if (!all) return scope.projectId
  if (!scope.admin) return policyRefuses(`os_compute_api:servers:${rule}:get_all_tenants`)
  return query.get("project_id") ?? query.get("tenant_id")
}

/** The sort keys of the list, by their name in the query. */
const sortKeys: Readonly<Record<string, (server: Server) => string | number>> = {
  created_at: (_) => _.created_at,
  display_name: (_) => _.name,
  host: () => "",
  image_ref: (_) => _.image_id ?? "",
  key_name: (_) => _.key_name ?? "",
  project_id: (_) => _.project_id,
  updated_at: (_) => _.updated_at,
  user_id: (_) => _.user_id,
  uuid: (_) => _.id,
  vm_state: (_) => _.vm_state
}

const orderOf = (query: URLSearchParams) => {
  const directions = query.getAll("sort_dir")
  return sortedBy(
    query.getAll("sort_key").map((key, i) => [key, directions[i] ?? directions.at(-1) ?? "desc"]),
    sortKeys,
    (key) => badRequest(`Invalid input for query parameters sort_key. Value: ${key}. '${key}' is not a sort key`)
  )
}

const list =
  (rule: "index" | "detail", view: (request: Request, server: Server) => unknown) =>
  (request: Request): Answer => {
    const misasked = misfitQuery(serversQuery(request.minor), request.query)
    if (misasked !== undefined) return misasked
    const project = projectOf(request, rule)
    if (project !== null && typeof project !== "string") return project
    const found = listed(request)
      .filter((_) => project === null || _.project_id === project)
      .filter((_) => matches(request, _))
    const order = orderOf(request.query)
    if (typeof order !== "function") return order
    const page = pageOf(request, found, { order })
    if (isAnswer(page)) return page
    const path = rule === "detail" ? "servers/detail" : "servers"
    const next = { rel: "next", href: `${computeBase(request)}/${path}?${page.next}` }
    return json(200, {
      servers: page.items.map((_) => view(request, _)),
      ...(page.next === undefined ? {} : { servers_links: [next] })
    })
  }

const update = ofServer((request, server) => {
  const refused = misfit(updateServer(request.minor), request.json)
  if (refused !== undefined) return refused
  const given = objectAt(request.json, "server")
  server.name = stringAt(given, "name") ?? server.name
  if (has(given, "description")) server.description = stringAt(given, "description") ?? null
  Object.assign(server, attributesOf(given))
  server.updated_at = request.now
  return json(200, { server: showChanged(request, server) })
})

/** A repeated delete is a 204 too, until the deletion is done. */
export const remove = (request: Request, server: Server): Answer => {
  const locked = lockedFor(request, server)
  if (locked !== undefined) return locked
  if (server.due?.vm_state === "deleted") return empty(204)
  const at = request.now + serverDelay
  note(request, server, "delete")
  server.task_state = "deleting"
  server.due = { at, vm_state: "deleted" }
  release(request.world, server, at)
  return empty(204)
}

export const serverRoutes: Routes = {
  "GET /v2.1/servers": computeRoute(list("index", summary)),
  "GET /v2.1/servers/detail": computeRoute(list("detail", showServer)),
  "GET /v2.1/servers/:id": computeRoute(
    ofServer((request, server) => json(200, { server: showServer(request, server) }))
  ),
  "POST /v2.1/servers": memberRoute("servers:create", create),
  "PUT /v2.1/servers/:id": memberRoute("servers:update", update),
  "DELETE /v2.1/servers/:id": memberRoute("servers:delete", ofServer(remove))
}
