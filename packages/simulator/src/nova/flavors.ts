import { empty, json, type Routes } from "../Wire.ts"
import { adminRoute, type Asked, computeRoute, linksOf } from "./asked.ts"
import { badRequest, notFound } from "./fault.ts"
import type { Flavor } from "./state.ts"

const summary = (asked: Asked, _: Flavor) => ({ id: _.id, name: _.name, links: linksOf(asked, "flavors", _.id) })

const detail = (asked: Asked, _: Flavor) => ({
  ...summary(asked, _),
  vcpus: _.vcpus,
  ram: _.ram,
  disk: _.disk,
  swap: "",
  rxtx_factor: 1,
  "OS-FLV-EXT-DATA:ephemeral": 0,
  "OS-FLV-DISABLED:disabled": false,
  "os-flavor-access:is_public": true
})

/** By id, from the marker on. */
const list = (view: typeof summary) =>
  computeRoute((asked) => {
    const { query, world } = asked
    const [limit, marker] = [query.get("limit"), query.get("marker")]
    if (limit !== null && !/^\d+$/.test(limit)) {
      return badRequest(
        `Invalid input for query parameters limit. Value: ${limit}. '${limit}' does not match '^[0-9]*$'`
      )
    }
    const all = Object.values(world.nova.flavors)
    const at = marker === null ? -1 : all.findIndex((_) => _.id === marker)
    if (marker !== null && at < 0) return badRequest(`marker [${marker}] not found`)
    const page = all.slice(at + 1, limit === null ? undefined : at + 1 + Number(limit))
    return json(200, { flavors: page.map((_) => view(asked, _)) })
  })

export const flavorRoutes: Routes = {
  "POST /v2.1/flavors": adminRoute("os-flavor-manage:create", () => empty(501)),
  "GET /v2.1/flavors": list(summary),
  "GET /v2.1/flavors/detail": list(detail),
  "GET /v2.1/flavors/:id": computeRoute((asked) => {
    const id = asked.params["id"] ?? ""
    const flavor = asked.world.nova.flavors[id]
    return flavor === undefined
      ? notFound(`Flavor ${id} could not be found.`)
      : json(200, { flavor: detail(asked, flavor) })
  })
}
