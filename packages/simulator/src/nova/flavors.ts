import { json, type Routes } from "../Wire.ts"
import { type Asked, computeRoute, linksOf } from "./asked.ts"
import { notFound } from "./fault.ts"
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

const list = (view: typeof summary) =>
  computeRoute((asked) => json(200, { flavors: Object.values(asked.world.nova.flavors).map((_) => view(asked, _)) }))

export const flavorRoutes: Routes = {
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
