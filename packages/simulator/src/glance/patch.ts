import { has, objectAt, stringAt } from "../Json.ts"
import { type Answer, json, type Routes } from "../Wire.ts"
import { base, readOnly, reservedFor, write } from "./properties.ts"
import type { Image, Location } from "./state.ts"
import { showImage } from "./view.ts"
import { type Request, conflict, memberRoute, ofOwnImage, unreadable, webob } from "./request.ts"

const v21 = "application/openstack-images-v2.1-json-patch"
const v20 = "application/openstack-images-v2.0-json-patch"
const operations = ["add", "replace", "remove"] as const

interface Change {
  readonly op: (typeof operations)[number]
  /** The decoded parts of the pointer. */
  readonly path: ReadonlyArray<string>
  readonly value: unknown
}

/**
 * The characters that Python's `strip()` removes; JavaScript's `trim()` lacks the separators and has the byte
 * order mark.
 */
const blank = "[\\s\\x1c-\\x1f\\x85]"
const stripped = (text: string): string =>
  text.replace(new RegExp(`^(?:(?!\\ufeff)${blank})+`), "").replace(new RegExp(`(?:(?!\\ufeff)${blank})+$`), "")

/** Decodes a pointer as Glance does: ignores leading slashes, and blanks around a decoded part. */
const pointer = (text: string): ReadonlyArray<string> =>
  text
    .replace(/^\/+/, "")
    .split("/")
    .map((_) => stripped(_.replaceAll("~1", "/").replaceAll("~0", "~")))

/** A double slash is valid only at the beginning. */
const wrongPointer = (path: string): string | undefined => {
  if (!path.startsWith("/")) return `Pointer \`${path}\` does not start with "/".`
  if (new RegExp(`/${blank}*/`).test(path.slice(1))) return `Pointer \`${path}\` contains adjacent "/".`
  if (path.length > 1 && path.endsWith("/")) return `Pointer \`${path}\` end with "/".`
  return /~[^01]/.test(path) || path.endsWith("~")
    ? `Pointer \`${path}\` contains "~" not part of a recognized escape sequence.`
    : undefined
}

/** The maximum depth of a pointer: one level, in the list of locations two. */
const depthOf = (root: string, op: Change["op"]): number => (root === "locations" && op !== "replace" ? 2 : 1)

/**
 * One operation of either media type. The older media type has the operation as the key and the pointer as its
 * value.
 */
const read = (given: unknown, newer: boolean): Change | string => {
  const operation = objectAt(given)
  const named = operations.filter((_) => has(operation, _))
  const op = newer ? operations.find((_) => _ === operation["op"]) : named[0]
  if (op === undefined || (!newer && named.length > 1)) {
    return `Operation objects must contain only one member named "add", "remove", or "replace".`
  }
  const path = stringAt(operation, newer ? "path" : op)
  if (path === undefined) return "Operations must have a path."
  const wrong = wrongPointer(path)
  if (wrong !== undefined) return wrong
  if (op !== "remove" && !has(operation, "value")) return `Operation "${op}" requires a member named "value".`
  const parts = pointer(path)
  return parts.length === depthOf(parts[0] ?? "", op)
    ? { op, path: parts, value: operation["value"] }
    : `Invalid JSON pointer for this resource: '/${parts.join("/")}'`
}

const apply = (request: Request, image: Image, { op, path, value }: Change): Answer | undefined => {
  const [key = ""] = path
  if (readOnly.includes(key)) return webob(request, 403, `Attribute '${key}' is read-only.`)
  if (key === "locations") return applyLocation(request, image, { op, path, value })
  if (reservedFor(key)) return webob(request, 403, `Attribute '${key}' is reserved.`)
  const exists = base.includes(key) || Object.hasOwn(image.properties, key)
  if (op !== "add" && !exists) return conflict(request, `Property ${key} does not exist.`)
  if (op !== "remove") return write(request, image, key, value)
  if (base.includes(key)) return webob(request, 403, `Property '${key}' may not be removed.`)
  const { [key]: _, ...rest } = image.properties
  image.properties = rest
  return undefined
}

/** Where locations are visible, they are also writable: a caller can then reach other tenants' bytes. */
const applyLocation = (request: Request, image: Image, { op, path, value }: Change): Answer | undefined => {
  if (!request.world.glance.showLocations) {
    return webob(request, 403, `It's not allowed to ${op} locations if locations are invisible.`)
  }
  if (op === "remove") {
    if (!/^\d+$/.test(path[1] ?? "") || image.locations[Number(path[1])] === undefined) {
      return webob(request, 400, "Invalid position for removing a location.")
    }
    return useLocations(image, image.locations.toSpliced(Number(path[1]), 1))
  }
  const given = (Array.isArray(value) ? value : [value]).map(locationOf)
  if (given.includes(undefined)) return webob(request, 400, "Invalid location")
  const locations = given.flatMap((_) => _ ?? [])
  return useLocations(image, op === "add" ? [...image.locations, ...locations] : locations)
}

const locationOf = (given: unknown): Location | undefined => {
  const url = stringAt(objectAt(given), "url")
  return url === undefined ? undefined : { url, metadata: objectAt(given, "metadata") }
}

/** An image with a location is active: its bytes are in an external store. */
const useLocations = (image: Image, locations: ReadonlyArray<Location>): undefined => {
  image.locations = locations
  image.status = locations.length > 0 ? "active" : "queued"
}

/** The media type and the body are read before the image is looked up. */
const patch = (request: Request): Answer => {
  const type = request.headers["content-type"]?.split(";")[0]?.trim()
  if (type !== v21 && type !== v20) {
    const accepted = { "accept-patch": `${v20}, ${v21}` }
    return unreadable(request, accepted)
  }
  if (!Array.isArray(request.json))
    return webob(request, 400, "Request body must be a JSON array of operation objects.")
  const changes: Array<Change> = []
  for (const given of request.json) {
    const change = read(given, type === v21)
    if (typeof change === "string") return webob(request, 400, change)
    changes.push(change)
  }
  return ofOwnImage("modify_image", (request, image) => applyAll(request, image, changes))(request)
}

/** Applies all changes or none. */
const applyAll = (request: Request, image: Image, changes: ReadonlyArray<Change>): Answer => {
  const draft = structuredClone(image)
  for (const change of changes) {
    const refused = apply(request, draft, change)
    if (refused !== undefined) return refused
  }
  draft.updated_at = request.now
  request.world.glance.images[image.id] = draft
  return json(200, showImage(request, draft))
}

/** The newer call that adds a location; members may use it while the image has no bytes. */
const addLocation = ofOwnImage("add_location", (request, image) => {
  const location = locationOf(request.json)
  if (location === undefined) return webob(request, 400, "Required attribute 'url' is missing.")
  if (image.status !== "queued")
    return webob(request, 409, `Location cannot be added to an image in status ${image.status}.`)
  useLocations(image, [location])
  return json(202, location)
})

export const patchRoutes: Routes = {
  "PATCH /v2/images/:id": memberRoute("modify_image", patch),
  "POST /v2/images/:id/locations": memberRoute("add_location", addLocation),
  "GET /v2/images/:id/locations": memberRoute(
    "fetch_locations",
    ofOwnImage("fetch_locations", (request, image) =>
      request.scope.roles.includes("service")
        ? json(200, image.locations)
        : webob(request, 403, "You are not authorized to complete fetch_image_location action.")
    )
  )
}
