import { Forbidden, UnsupportedMediaType } from "@portico/contract/Failures"
import { Effect, Predicate } from "effect"
import { type JsonObject, word } from "./reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/** The two forms of a patch that Glance reads: the pointer under `path`, or as the value of the operation's key. */
const patchTypes: ReadonlySet<string> = new Set([
  "application/openstack-images-v2.1-json-patch",
  "application/openstack-images-v2.0-json-patch"
])

/** Where the data of an image lies is not for clients, neither to read nor to write. */
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
      (door === "patch" && patchesHidden(body)) ||
      (door === "create" && Predicate.isReadonlyObject(body) && Object.keys(body).some((_) => hidden.has(_)))
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
const patchesHidden = (body: unknown): boolean =>
  Array.isArray(body) &&
  body.some((operation) => Predicate.isReadonlyObject(operation) && pointersOf(operation).some(isHidden))

/** Of both forms at once, and of operations that Glance does not know yet: one that is not used is harmless. */
const pointersOf = ({ add, copy, from, move, path, remove, replace, test }: JsonObject): ReadonlyArray<unknown> => [
  path,
  from,
  add,
  remove,
  replace,
  copy,
  move,
  test
]

/** Glance strips the slashes in front, takes the first part, undoes `~1` and then `~0`, and trims. */
const isHidden = (pointer: unknown): boolean => {
  if (typeof pointer !== "string") return false
  const [first = ""] = pointer.replace(/^[/\s]+/, "").split("/", 1)
  return hidden.has(first.replaceAll("~1", "/").replaceAll("~0", "~").replaceAll(padding, ""))
}

/** What Python trims and more: every blank and control character, wherever it stands. */
const padding = /[\s\p{C}]/gu
