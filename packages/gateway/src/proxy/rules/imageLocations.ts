import { Forbidden, UnsupportedMediaType } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { type JsonObject, pointerRoot, word } from "../../acts/reading.ts"
import { type ConcernedCall, type PlatformCall, ruleAt } from "./Rule.ts"

/** The patch operations that Glance supports. Others of RFC 6902, which it rejects, have a second pointer. */
const operations: ReadonlySet<unknown> = new Set(["add", "remove", "replace"])

/**
 * The two patch formats that Glance accepts, and the pointers in an operation: under `path`, or as the value of the
 * operation's key.
 */
const patchTypes: ReadonlyMap<string, (operation: JsonObject) => ReadonlyArray<unknown>> = new Map([
  [
    "application/openstack-images-v2.1-json-patch",
    ({ from, op, path }: JsonObject) => (operations.has(op) ? [path] : [path, from])
  ],
  ["application/openstack-images-v2.0-json-patch", ({ add, remove, replace }: JsonObject) => [add, remove, replace]]
])

/** Fields with the storage location of an image, which clients may neither read nor write. Case is ignored. */
const hidden: ReadonlySet<string> = new Set(["locations", "direct_url"])

/**
 * Refuses writes of image locations at every tier and for every caller (contract, Proxy rules):
 * `images/{id}/locations` with any method, a patch of `/locations` in either format, and a new image with locations.
 * `direct_url` is treated alike.
 *
 * Errors: 415 for a patch whose media type Glance would reject too.
 */
export const imageLocations = ruleAt({
  at: (call) => entryPointOf(call),
  reads: (entryPoint) => (entryPoint === "locations" ? "head" : "body"),
  check: Effect.fnUntraced(function* (entryPoint, call, body) {
    if (entryPoint === "patch" && !patchTypes.has(mediaTypeOf(call))) return yield* UnsupportedMediaType.imagePatch()
    if (
      entryPoint === "locations" ||
      (entryPoint === "patch" && patchesHidden(call, body)) ||
      (entryPoint === "create" &&
        Predicate.isReadonlyObject(body) &&
        Object.keys(body).some((_) => hidden.has(_.toLowerCase())))
    ) {
      return yield* Forbidden.imageLocations()
    }
  })
})

const entryPointOf = ({ method, segments, service }: ConcernedCall): "create" | "locations" | "patch" | undefined => {
  if (service !== "image" || word(segments[0]) !== "images") return undefined
  if (word(segments[2]) === "locations") return "locations"
  if (method === "PATCH") return "patch"
  return method === "POST" && word(segments[1]) === "" ? "create" : undefined
}

/** The media type as Glance reads it: the exact text before the first semicolon. */
const mediaTypeOf = ({ headers }: PlatformCall): string => {
  const value = headers["content-type"]
  return typeof value === "string" ? (value.split(";", 1)[0] ?? "") : ""
}

/** Glance rejects anything but a list, and an operation that is not an object. */
const patchesHidden = (call: PlatformCall, body: unknown): boolean => {
  const pointersOf = patchTypes.get(mediaTypeOf(call))
  return (
    Array.isArray(body) &&
    body.some((operation) => Predicate.isReadonlyObject(operation) && pointersOf?.(operation).some(isHidden))
  )
}

const isHidden = (pointer: unknown): boolean => typeof pointer === "string" && hidden.has(pointerRoot(pointer))
