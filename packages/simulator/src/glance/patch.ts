import { has, objectAt, stringAt } from "../Json.ts"
import { type Answer, json, type Routes } from "../Wire.ts"
import { base, readOnly, reservedFor, write } from "./properties.ts"
import type { Image, Location } from "./state.ts"
import { showImage } from "./view.ts"
import { type Asked, conflict, memberRoute, ofOwnImage, unreadable, webob } from "./webob.ts"

const v21 = "application/openstack-images-v2.1-json-patch"
const v20 = "application/openstack-images-v2.0-json-patch"
const operations = ["add", "replace", "remove"] as const

interface Change {
  readonly op: (typeof operations)[number]
  /** The decoded parts of the pointer. */
  readonly path: ReadonlyArray<string>
  readonly value: unknown
}

/** What Python's `strip()` takes for blank: more than JavaScript's `trim()` in the separators, less in the byte order mark. */
const blank = "[\\s\\x1c-\\x1f\\x85]"
const stripped = (text: string): string =>
  text.replace(new RegExp(`^(?:(?!\\ufeff)${blank})+`), "").replace(new RegExp(`(?:(?!\\ufeff)${blank})+$`), "")

/** As Glance decodes a pointer: leading slashes, and blanks around a decoded part, do not matter. */
const pointer = (text: string): ReadonlyArray<string> =>
  text
    .replace(/^\/+/, "")
    .split("/")
    .map((_) => stripped(_.replaceAll("~1", "/").replaceAll("~0", "~")))

/** Only a second slash right after the first one passes; nowhere else may two stand side by side. */
const wrongPointer = (path: string): string | undefined => {
  if (!path.startsWith("/")) return `Pointer \`${path}\` does not start with "/".`
  if (new RegExp(`/${blank}*/`).test(path.slice(1))) return `Pointer \`${path}\` contains adjacent "/".`
  if (path.length > 1 && path.endsWith("/")) return `Pointer \`${path}\` end with "/".`
  return /~[^01]/.test(path) || path.endsWith("~")
    ? `Pointer \`${path}\` contains "~" not part of a recognized escape sequence.`
    : undefined
}

/** How deep a change may reach: one level, and into the list of locations two. */
const depthOf = (root: string, op: Change["op"]): number => (root === "locations" && op !== "replace" ? 2 : 1)

/** One operation of either media type. In the older one the operation is the key and its value the pointer. */
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

const apply = (asked: Asked, image: Image, { op, path, value }: Change): Answer | undefined => {
  const [key = ""] = path
  if (readOnly.includes(key)) return webob(asked, 403, `Attribute '${key}' is read-only.`)
  if (key === "locations") return applyLocation(asked, image, { op, path, value })
  if (reservedFor(key)) return webob(asked, 403, `Attribute '${key}' is reserved.`)
  const exists = base.includes(key) || Object.hasOwn(image.properties, key)
  if (op !== "add" && !exists) return conflict(asked, `Property ${key} does not exist.`)
  if (op !== "remove") return write(asked, image, key, value)
  if (base.includes(key)) return webob(asked, 403, `Property '${key}' may not be removed.`)
  const { [key]: _, ...rest } = image.properties
  image.properties = rest
  return undefined
}

/** Whoever can see locations can set them: where they are switched on, that is a way to other people's bytes. */
const applyLocation = (asked: Asked, image: Image, { op, path, value }: Change): Answer | undefined => {
  if (!asked.world.glance.showLocations) {
    return webob(asked, 403, `It's not allowed to ${op} locations if locations are invisible.`)
  }
  if (op === "remove") {
    if (!/^\d+$/.test(path[1] ?? "") || image.locations[Number(path[1])] === undefined) {
      return webob(asked, 400, "Invalid position for removing a location.")
    }
    return useLocations(image, image.locations.toSpliced(Number(path[1]), 1))
  }
  const given = (Array.isArray(value) ? value : [value]).map(locationOf)
  if (given.includes(undefined)) return webob(asked, 400, "Invalid location")
  const locations = given.flatMap((_) => _ ?? [])
  return useLocations(image, op === "add" ? [...image.locations, ...locations] : locations)
}

const locationOf = (given: unknown): Location | undefined => {
  const url = stringAt(objectAt(given), "url")
  return url === undefined ? undefined : { url, metadata: objectAt(given, "metadata") }
}

/** An image with a location is active: its bytes are there, in somebody's store. */
const useLocations = (image: Image, locations: ReadonlyArray<Location>): undefined => {
  image.locations = locations
  image.status = locations.length > 0 ? "active" : "queued"
}

/** The media type and the body are read before the image is looked up. */
const patch = (asked: Asked): Answer => {
  const type = asked.headers["content-type"]?.split(";")[0]?.trim()
  if (type !== v21 && type !== v20) {
    const accepted = { "accept-patch": `${v20}, ${v21}` }
    return unreadable(asked, accepted)
  }
  if (!Array.isArray(asked.json)) return webob(asked, 400, "Request body must be a JSON array of operation objects.")
  const changes: Array<Change> = []
  for (const given of asked.json) {
    const change = read(given, type === v21)
    if (typeof change === "string") return webob(asked, 400, change)
    changes.push(change)
  }
  return ofOwnImage("modify_image", (asked, image) => applyAll(asked, image, changes))(asked)
}

/** All changes or none. */
const applyAll = (asked: Asked, image: Image, changes: ReadonlyArray<Change>): Answer => {
  const draft = structuredClone(image)
  for (const change of changes) {
    const refused = apply(asked, draft, change)
    if (refused !== undefined) return refused
  }
  draft.updated_at = asked.now
  asked.world.glance.images[image.id] = draft
  return json(200, showImage(asked, draft))
}

/** The newer way to set a location, open to members while the image has no bytes. */
const addLocation = ofOwnImage("add_location", (asked, image) => {
  const location = locationOf(asked.json)
  if (location === undefined) return webob(asked, 400, "Required attribute 'url' is missing.")
  if (image.status !== "queued")
    return webob(asked, 409, `Location cannot be added to an image in status ${image.status}.`)
  useLocations(image, [location])
  return json(202, location)
})

export const patchRoutes: Routes = {
  "PATCH /v2/images/:id": memberRoute("modify_image", patch),
  "POST /v2/images/:id/locations": memberRoute("add_location", addLocation),
  "GET /v2/images/:id/locations": memberRoute(
    "fetch_locations",
    ofOwnImage("fetch_locations", (asked, image) =>
      asked.scope.roles.includes("service")
        ? json(200, image.locations)
        : webob(asked, 403, "You are not authorized to complete fetch_image_location action.")
    )
  )
}
