import { Forbidden, UnsupportedMediaType } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { type JsonObject, stripped, word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/** What Glance can do to an image; others of RFC 6902, which it refuses, have a second pointer. */
const operations: ReadonlySet<unknown> = new Set(["add", "remove", "replace"])

/**
 * The two forms of a patch that Glance reads, and where the pointers of an
 * operation stand: under `path`, or as the value of the operation's key.
 */
const patchTypes: ReadonlyMap<string, (operation: JsonObject) => ReadonlyArray<unknown>> = new Map([
  [
    "application/openstack-images-v2.1-json-patch",
    ({ from, op, path }: JsonObject) => (operations.has(op) ? [path] : [path, from])
  ],
  ["application/openstack-images-v2.0-json-patch", ({ add, remove, replace }: JsonObject) => [add, remove, replace]]
])

/** Where the data of an image lies is not for clients, neither to read nor to write. Letters of either case count as the same. */
const hidden: ReadonlySet<string> = new Set(["locations", "direct_url"])

/**
 * Writing image locations is refused at every tier, to everybody (contract,
 * Proxy rules): `images/{id}/locations` with any method, a patch of
 * `/locations` in either form, and a new image that brings them. `direct_url`
 * is treated alike.
 *
 * Errors: 415 for a patch whose media type Glance would not read either.
 */
export const imageLocations: Rule = {
  concerns: (call) => {
    switch (doorOf(call)) {
      case undefined:
        return "nothing"
      case "locations":
        return "head"
      default:
        return "body"
    }
  },
  check: Effect.fnUntraced(function* (call, body) {
    const door = doorOf(call)
    if (door === "patch" && !patchTypes.has(mediaTypeOf(call))) return yield* UnsupportedMediaType.imagePatch()
    if (
      door === "locations" ||
      (door === "patch" && patchesHidden(call, body)) ||
      (door === "create" &&
        Predicate.isReadonlyObject(body) &&
        Object.keys(body).some((_) => hidden.has(_.toLowerCase())))
    ) {
      return yield* Forbidden.imageLocations()
    }
  })
}

const doorOf = ({ method, segments, service }: PlatformCall): "create" | "locations" | "patch" | undefined => {
  if (service !== "image" || word(segments[0]) !== "images") return undefined
  if (word(segments[2]) === "locations") return "locations"
  if (method === "PATCH") return "patch"
  return method === "POST" && word(segments[1]) === "" ? "create" : undefined
}

/** As Glance takes it: what stands before the first semicolon, letter by letter. */
const mediaTypeOf = ({ headers }: PlatformCall): string => {
  const value = headers["content-type"]
  return typeof value === "string" ? (value.split(";", 1)[0] ?? "") : ""
}

/** Anything but a list is refused by Glance, and so is an operation that is no object. */
const patchesHidden = (call: PlatformCall, body: unknown): boolean => {
  const pointersOf = patchTypes.get(mediaTypeOf(call))
  return (
    Array.isArray(body) &&
    body.some((operation) => Predicate.isReadonlyObject(operation) && pointersOf?.(operation).some(isHidden))
  )
}

/**
 * Glance strips the slashes in front, takes the first part, undoes `~1` and
 * `~0`, and trims. A hidden name holds neither of the two characters.
 */
const isHidden = (pointer: unknown): boolean => {
  if (typeof pointer !== "string") return false
  const [first = ""] = pointer.replace(/^\/+/, "").split("/", 1)
  return hidden.has(stripped(first).toLowerCase())
}
