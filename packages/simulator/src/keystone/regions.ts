import { entry } from "../Json.ts"
import { type Incoming, json, type Routes } from "../Wire.ts"
import { baseOf, linksOf, notFound } from "./answers.ts"
import { scoped } from "./scope.ts"

/** The one region of a stock cloud. */
const regions = { RegionOne: { id: "RegionOne", description: "", parent_region_id: null } }

const showRegion = (incoming: Incoming) => (region: (typeof regions)["RegionOne"]) => ({
  ...region,
  links: { self: `${baseOf(incoming)}/regions/${region.id}` }
})

/** Everybody with a token may read regions. */
export const regionRoutes: Routes = {
  "GET /v3/regions": scoped((incoming) => {
    const parent = incoming.query.get("parent_region_id")
    const found = Object.values(regions).filter((_) => parent === null || _.parent_region_id === parent)
    return json(200, { regions: found.map(showRegion(incoming)), links: linksOf(incoming) })
  }),
  "GET /v3/regions/:id": scoped((incoming) => {
    const id = incoming.params["id"] ?? ""
    const region = entry(regions, id)
    return region === undefined ? notFound("region", id) : json(200, { region: showRegion(incoming)(region) })
  })
}
