import { objectAt, stringsAt } from "../Json.ts"
import { empty, json, type Routes } from "../Wire.ts"
import { type RequestHandler, computeRoute, linksOf, type Request } from "./request.ts"
import { invalidField, missing, notFound, policyRefuses } from "./fault.ts"
import type { Server } from "./state.ts"

/**
 * Another project's server is a 403 from the policy, after the lookup: these routes distinguish it from a
 * missing one.
 */
const tagRoute = (rule: string, handler: (request: Request, server: Server) => ReturnType<RequestHandler>) =>
  computeRoute((request) => {
    const id = request.params["id"] ?? ""
    const server = request.world.nova.servers[id]
    if (server === undefined) return notFound(`Instance ${id} could not be found.`)
    const mine = request.scope.admin || server.project_id === request.scope.projectId
    const may = mine && (request.method === "GET" || request.scope.roles.includes("member"))
    return may ? handler(request, server) : policyRefuses(`os_compute_api:os-server-tags:${rule}`)
  })

const tagsOf = ({ tags }: Server): ReadonlyArray<string> => tags ?? []

const tagOf = ({ params }: Request): string => params["tag"] ?? ""

const url = "/v2.1/servers/:id/tags"

/** Since 2.26. */
export const tagRoutes: Routes = {
  [`GET ${url}`]: tagRoute("index", (_, server) => json(200, { tags: tagsOf(server) })),
  [`PUT ${url}`]: tagRoute("update_all", (request, server) => {
    const tags = stringsAt(objectAt(request.json), "tags")
    if (tags === undefined) {
      return "tags" in objectAt(request.json)
        ? invalidField("tags", objectAt(request.json)["tags"], "is not of type 'array'")
        : missing(request, "tags")
    }
    server.tags = [...new Set(tags)]
    return json(200, { tags: server.tags })
  }),
  [`DELETE ${url}`]: tagRoute("delete_all", (_, server) => {
    server.tags = []
    return empty(204)
  }),
  [`GET ${url}/:tag`]: tagRoute("show", (request, server) =>
    tagsOf(server).includes(tagOf(request))
      ? empty(204)
      : notFound(`Server ${server.id} has no tag '${tagOf(request)}'`)
  ),
  [`PUT ${url}/:tag`]: tagRoute("update", (request, server) => {
    const tag = tagOf(request)
    if (tagsOf(server).includes(tag)) return empty(204)
    server.tags = [...tagsOf(server), tag]
    const location = `${linksOf(request, "servers", server.id)[0]?.href}/tags/${tag}`
    return empty(201, { location })
  }),
  [`DELETE ${url}/:tag`]: tagRoute("delete", (request, server) => {
    const tag = tagOf(request)
    if (!tagsOf(server).includes(tag)) return notFound(`Instance ${server.id} has no tag '${tag}'`)
    server.tags = tagsOf(server).filter((_) => _ !== tag)
    return empty(204)
  })
}
