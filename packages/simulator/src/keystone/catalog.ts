import { type Incoming, json, originOf, type Routes } from "../Wire.ts"
import { baseOf } from "./answers.ts"
import { scoped } from "./scope.ts"

/** Type and name of each service, and its endpoint below the cloud's address. */
const services = [
  ["identity", "keystone", "/identity"],
  ["compute", "nova", "/compute/v2.1"],
  ["network", "neutron", "/network"],
  ["volumev3", "cinder", "/volume/v3/{project}"],
  ["image", "glance", "/image"],
  ["load-balancer", "octavia", "/load-balancer"],
  ["dns", "designate", "/dns"],
  ["key-manager", "barbican", "/key-manager"]
] as const

const interfaces = ["public", "internal", "admin"]

/** The ids of the catalog do not change; a service's end in 0, those of its endpoints count from 1. */
const idOf = (service: number, endpoint: number): string => `5e${String(service * 10 + endpoint).padStart(30, "0")}`

/** The services and their endpoints, as a token of a project carries them. */
export const catalogOf = (incoming: Incoming, projectId: string) =>
  services.map(([type, name, path], at) => ({
    endpoints: interfaces.map((name, index) => ({
      id: idOf(at + 1, index + 1),
      interface: name,
      region_id: "RegionOne",
      url: `${originOf(incoming)}${path.replace("{project}", projectId)}`,
      region: "RegionOne"
    })),
    id: idOf(at + 1, 0),
    type,
    name
  }))

export const catalogRoutes: Routes = {
  "GET /v3/auth/catalog": scoped((incoming, { projectId }) =>
    json(200, { catalog: catalogOf(incoming, projectId), links: { self: `${baseOf(incoming)}/auth/catalog` } })
  )
}
