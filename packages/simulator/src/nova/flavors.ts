import { entry } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { adminRoute, type Request, computeRoute, linksOf } from "./request.ts"
import { badRequest, notFound } from "./fault.ts"
import type { Flavor } from "./state.ts"

/** From microversion 2.55 with a description. */
const summary = (request: Request, _: Flavor) => ({
  id: _.id,
  name: _.name,
  links: linksOf(request, "flavors", _.id),
  ...(request.minor < 55 ? {} : { description: null })
})

/** From microversion 2.61 with the extra specs, and from 2.75 with a swap of 0 as a number. */
const detail = (request: Request, _: Flavor) => ({
  ...summary(request, _),
  vcpus: _.vcpus,
  ram: _.ram,
  disk: _.disk,
  swap: request.minor < 75 ? "" : 0,
  rxtx_factor: 1,
  "OS-FLV-EXT-DATA:ephemeral": 0,
  "OS-FLV-DISABLED:disabled": false,
  "os-flavor-access:is_public": true,
  ...(request.minor < 61 ? {} : { extra_specs: _.extra_specs ?? {} })
})

/** A number as Python's `int()` reads it; 0 where there is none. */
const numberOf = (query: URLSearchParams, name: string): number => {
  const text = query.get(name)?.trim()
  return text === undefined ? 0 : /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
}

/** By id, after the marker. */
const list = (view: typeof summary) =>
  computeRoute((request) => {
    const { query, world } = request
    const [limit, marker] = [query.get("limit"), query.get("marker")]
    if (limit !== null && !/^\d+$/.test(limit)) {
      return badRequest(
        `Invalid input for query parameters limit. Value: ${limit}. '${limit}' does not match '^[0-9]*$'`
      )
    }
    const least = { minRam: numberOf(query, "minRam"), minDisk: numberOf(query, "minDisk") }
    for (const [name, amount] of Object.entries(least)) {
      if (Number.isNaN(amount)) return badRequest(`Invalid ${name} filter [${query.get(name)}]`)
    }
    const all = Object.values(world.nova.flavors).filter((_) => _.ram >= least.minRam && _.disk >= least.minDisk)
    const at = marker === null ? -1 : all.findIndex((_) => _.id === marker)
    if (marker !== null && at < 0) return badRequest(`marker [${marker}] not found`)
    const page = all.slice(at + 1, limit === null ? undefined : at + 1 + Number(limit))
    return json(200, { flavors: page.map((_) => view(request, _)) })
  })

/** A read of one flavor, public to every project. */
const ofFlavor = (handler: (request: Request, flavor: Flavor) => Answer) =>
  computeRoute((request) => {
    const id = request.params["id"] ?? ""
    const flavor = request.world.nova.flavors[id]
    return flavor === undefined ? notFound(`Flavor ${id} could not be found.`) : handler(request, flavor)
  })

export const flavorRoutes: Routes = {
  "POST /v2.1/flavors": adminRoute("os-flavor-manage:create", () => empty(501)),
  "GET /v2.1/flavors": list(summary),
  "GET /v2.1/flavors/detail": list(detail),
  "GET /v2.1/flavors/:id": ofFlavor((request, flavor) => json(200, { flavor: detail(request, flavor) })),
  "GET /v2.1/flavors/:id/os-extra_specs": ofFlavor((_, flavor) => json(200, { extra_specs: flavor.extra_specs ?? {} })),
  "GET /v2.1/flavors/:id/os-extra_specs/:key": ofFlavor(({ params }, flavor) => {
    const key = params["key"] ?? ""
    const value = entry(flavor.extra_specs ?? {}, key)
    return value === undefined
      ? notFound(`Flavor ${flavor.id} has no extra specs with key ${key}.`)
      : json(200, { [key]: value })
  })
}
