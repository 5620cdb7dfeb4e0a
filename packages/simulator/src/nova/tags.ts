import { objectAt, stringsAt } from "../Json.ts"
import { empty, json, type Routes } from "../Wire.ts"
import { type Answering, computeRoute, linksOf, type Asked } from "./asked.ts"
import { invalidField, missing, notFound, policyRefuses } from "./fault.ts"
import type { Server } from "./state.ts"

/** Another project's server is found, and then refused by the policy: these routes tell it from one that never was. */
const tagRoute = (rule: string, handler: (asked: Asked, server: Server) => ReturnType<Answering>) =>
  computeRoute((asked) => {
    const id = asked.params["id"] ?? ""
    const server = asked.world.nova.servers[id]
    if (server === undefined) return notFound(`Instance ${id} could not be found.`)
    const mine = asked.scope.admin || server.project_id === asked.scope.projectId
    const may = mine && (asked.method === "GET" || asked.scope.roles.includes("member"))
    return may ? handler(asked, server) : policyRefuses(`os_compute_api:os-server-tags:${rule}`)
  })

const tagsOf = ({ tags }: Server): ReadonlyArray<string> => tags ?? []

const tagOf = ({ params }: Asked): string => params["tag"] ?? ""

const url = "/v2.1/servers/:id/tags"

/** Since 2.26. */
export const tagRoutes: Routes = {
  [`GET ${url}`]: tagRoute("index", (_, server) => json(200, { tags: tagsOf(server) })),
  [`PUT ${url}`]: tagRoute("update_all", (asked, server) => {
    const tags = stringsAt(objectAt(asked.json), "tags")
    if (tags === undefined) {
      return "tags" in objectAt(asked.json)
        ? invalidField("tags", objectAt(asked.json)["tags"], "is not of type 'array'")
        : missing(asked, "tags")
    }
    server.tags = [...new Set(tags)]
    return json(200, { tags: server.tags })
  }),
  [`DELETE ${url}`]: tagRoute("delete_all", (_, server) => {
    server.tags = []
    return empty(204)
  }),
  [`GET ${url}/:tag`]: tagRoute("show", (asked, server) =>
    tagsOf(server).includes(tagOf(asked)) ? empty(204) : notFound(`Server ${server.id} has no tag '${tagOf(asked)}'`)
  ),
  [`PUT ${url}/:tag`]: tagRoute("update", (asked, server) => {
    const tag = tagOf(asked)
    if (tagsOf(server).includes(tag)) return empty(204)
    server.tags = [...tagsOf(server), tag]
    const location = `${linksOf(asked, "servers", server.id)[0]?.href}/tags/${tag}`
    return empty(201, { location })
  }),
  [`DELETE ${url}/:tag`]: tagRoute("delete", (asked, server) => {
    const tag = tagOf(asked)
    if (!tagsOf(server).includes(tag)) return notFound(`Instance ${server.id} has no tag '${tag}'`)
    server.tags = tagsOf(server).filter((_) => _ !== tag)
    return empty(204)
  })
}
