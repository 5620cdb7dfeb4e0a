import { randomUUID } from "node:crypto"
import { type JsonObject, objectAt, stringAt } from "../Json.ts"
import { repr } from "../python.ts"
import { type Answer, empty, json, originOf, type Routes } from "../Wire.ts"
import { importMethods } from "./imports.ts"
import { readOnly, refusedBySchema, reservedFor, write } from "./properties.ts"
import { type Image, newImage, visibleTo } from "./state.ts"
import { showImage } from "./view.ts"
import { type Request, done, imageRoute, memberRoute, ofImage, ofOwnImage, refuses, webob } from "./request.ts"

/** `limit_param_default` and `api_limit_max`. */
const defaultLimit = 25
const maxLimit = 1000

/** Query keys that are not filters. */
const paging = ["limit", "marker", "sort_key", "sort_dir", "sort"]

/**
 * Whether a list without a visibility filter includes the image: the project's own, public ones, and accepted
 * shared ones. Administrators see all.
 */
const inDefaultList = ({ query, scope }: Request, image: Image): boolean =>
  scope.admin ||
  image.owner === scope.projectId ||
  image.visibility === "public" ||
  (image.visibility === "shared" && memberStatusFits(query, image.members[scope.projectId]?.status))

const memberStatusFits = (query: URLSearchParams, status: string | undefined): boolean => {
  const wanted = query.get("member_status") ?? "accepted"
  return status !== undefined && (wanted === "all" || wanted === status)
}

const inList = (request: Request, image: Image): boolean => {
  const { query, scope } = request
  const wanted = query.get("visibility")
  if (wanted === null) return inDefaultList(request, image)
  if (wanted === "all") return visibleTo(scope, image)
  if (wanted === "community") return image.visibility === "community"
  return image.visibility === wanted && inDefaultList(request, image)
}

/** An unknown key filters on a custom property: `all_tenants=1` empties the list. */
const matches = (image: Image, key: string, value: string): boolean => {
  const view: JsonObject = { ...image }
  if (key === "tag") return image.tags.includes(value)
  if (key === "size_min") return (image.size ?? 0) >= Number(value)
  if (key === "size_max") return (image.size ?? 0) <= Number(value)
  if (key === "protected" || key === "os_hidden") return String(view[key]) === value.toLowerCase()
  const known = ["id", "name", "status", "owner", "disk_format", "container_format", "min_disk", "min_ram", "checksum"]
  if (known.includes(key)) {
    const values = value.startsWith("in:") ? value.slice(3).split(",") : [value]
    return values.includes(String(view[key]))
  }
  return image.properties[key] === value
}

const list = (request: Request): Answer => {
  const { query, world } = request
  const asLimit = query.get("limit")
  if (asLimit !== null && !/^-?\d+$/.test(asLimit)) return webob(request, 400, "limit param must be an integer")
  if (Number(asLimit ?? 0) < 0) return webob(request, 400, "limit param must be positive")
  const visibility = query.get("visibility")
  if (visibility !== null && !["public", "private", "shared", "community", "all"].includes(visibility)) {
    return webob(request, 400, `Invalid visibility value: ${visibility}`)
  }
  const order = orderOf(query)
  if (typeof order === "string") return webob(request, 400, order)
  const filters = [...query].filter(([key]) => ![...paging, "visibility", "member_status"].includes(key))
  const hidden = query.has("os_hidden") ? [] : [["os_hidden", "false"] as const]
  const found = Object.values(world.glance.images)
    .filter((_) => inList(request, _))
    .filter((_) => [...filters, ...hidden].every(([key, value]) => matches(_, key, value)))
    .toSorted(order)
  const marker = query.get("marker")
  const at = marker === null ? -1 : found.findIndex((_) => _.id === marker)
  if (marker !== null && at < 0) return webob(request, 400, `No image found with ID ${marker}`)
  const limit = Math.min(asLimit === null ? defaultLimit : Number(asLimit), maxLimit)
  const images = found.slice(at + 1, at + 1 + limit)
  const last = images.at(-1)
  return json(200, {
    images: images.map((_) => showImage(request, _)),
    first: pathOf(query, undefined),
    ...(last === undefined || images.length < limit ? {} : { next: pathOf(query, last.id) }),
    schema: "/v2/schemas/images"
  })
}

const sortKeys = [
  "name",
  "status",
  "container_format",
  "disk_format",
  "size",
  "id",
  "created_at",
  "updated_at"
] as const

/** The order of `sort`, or of the older `sort_key` and `sort_dir`, by default newest first; or the error. */
const orderOf = (query: URLSearchParams): ((a: Image, b: Image) => number) | string => {
  const directions = query.getAll("sort_dir")
  const requested = [
    ...(query.get("sort")?.split(",") ?? []).map((_) => _.split(":")),
    ...query.getAll("sort_key").map((key, index) => [key, directions[index] ?? directions.at(-1) ?? "desc"])
  ]
  const keys: Array<readonly [(typeof sortKeys)[number], number]> = []
  for (const [name = "", direction = "desc"] of requested) {
    const key = sortKeys.find((_) => _ === name)
    if (key === undefined) return `Invalid sort key: ${name}. It must be one of the following: ${sortKeys.join(", ")}.`
    keys.push([key, direction === "asc" ? 1 : -1])
  }
  const all: typeof keys = [...keys, ["created_at", -1], ["id", -1]]
  return (a, b) => all.reduce((order, [key, sign]) => order || sign * compare(a[key], b[key]), 0)
}

const compare = (a: string | number | null, b: string | number | null): number =>
  a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1

const pathOf = (query: URLSearchParams, marker: string | undefined): string => {
  const page = new URLSearchParams(query)
  page.delete("marker")
  if (marker !== undefined) page.set("marker", marker)
  return page.size === 0 ? "/v2/images" : `/v2/images?${page}`
}

const idPattern = "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
const uuid = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/

const create = (request: Request): Answer => {
  const { json: body, now, scope, world } = request
  const given = objectAt(body)
  if (request.body.length > 0 && body === undefined) return webob(request, 400, "Malformed JSON in request body.")
  if (!isObjectBody(request)) return webob(request, 400, "Body expected in request.")
  const id = stringAt(given, "id") ?? randomUUID()
  if (!uuid.test(id)) return refusedBySchema(request, "id", `${repr(id)} does not match '${idPattern}'`)
  const image = newImage({ id, owner: scope.projectId }, now)
  for (const [key, value] of Object.entries(given)) {
    if (key === "id") continue
    if (key === "locations" || reservedFor(key)) return webob(request, 403, `Attribute '${key}' is reserved.`)
    if (readOnly.includes(key)) return webob(request, 403, `Attribute '${key}' is read-only.`)
    const refused = write(request, image, key, value)
    if (refused !== undefined) return refused
  }
  if (world.glance.images[id] !== undefined) return webob(request, 409, `Image ID ${id} already exists!`)
  world.glance.images[id] = image
  return json(201, showImage(request, image), {
    location: `${originOf(request)}/image/v2/images/${id}`,
    "openstack-image-import-methods": importMethods.join(",")
  })
}

const isObjectBody = ({ json: body }: Request): boolean =>
  typeof body === "object" && body !== null && !Array.isArray(body)

const remove = ofOwnImage(
  "delete_image",
  (request, image) => {
    if (image.protected) return webob(request, 403, `Image ${image.id} is protected and cannot be deleted.`)
    delete request.world.glance.images[image.id]
    return done
  },
  (id) => `Failed to find image ${id} to delete`
)

/** For the owner's members; only an administrator can read deactivated bytes. */
const activate = (from: Image["status"], to: Image["status"], rule: string) =>
  memberRoute(
    rule,
    ofImage((request, image) => {
      if (!request.scope.admin && image.owner !== request.scope.projectId) return refuses(request, rule)
      if (image.status !== from && image.status !== to) {
        return webob(request, 403, `Not allowed to ${rule} image in status '${image.status}'`)
      }
      image.status = to
      return empty(204)
    })
  )

export const imagesRoutes: Routes = {
  "GET /v2/images": imageRoute(list),
  "POST /v2/images": memberRoute("add_image", create),
  "GET /v2/images/:id": imageRoute(ofImage((request, image) => json(200, showImage(request, image)))),
  "DELETE /v2/images/:id": memberRoute("delete_image", remove),
  "POST /v2/images/:id/actions/deactivate": activate("active", "deactivated", "deactivate"),
  "POST /v2/images/:id/actions/reactivate": activate("deactivated", "active", "reactivate")
}
