import { objectAt, stringsAt } from "../Json.ts"
import { repr } from "../python.ts"
import type { Answer, Incoming } from "../Wire.ts"
import { badRequest } from "./scope.ts"

const invalid = (field: string, why: string): Answer => badRequest(`Invalid input for field '${field}': ${why}`)

const fault =
  " The server could not comply with the request since it is either malformed or otherwise incorrect. The client is " +
  "assumed to be in error."

/** The 400 for a body that is not JSON; an absent body reads as an empty object. */
export const checkJson = ({ body, json }: Incoming): Answer | undefined =>
  body.length > 0 && json === undefined
    ? badRequest(`Expecting to find valid JSON in request body.${fault}`)
    : undefined

export const checkAuth = ({ json }: Incoming): Answer | undefined => {
  const auth = objectAt(json)["auth"]
  if (auth === undefined) return badRequest(`Expecting to find auth in request body.${fault}`)
  return stringsAt(objectAt(json, "auth", "identity"), "methods") === undefined
    ? invalid("identity", "'methods' is a required property")
    : undefined
}

/** Text up to a length, with at least one character that is not a blank. */
export const checkName = (name: unknown, longest: number): Answer | undefined => {
  if (name === undefined) return badRequest("'name' is a required property")
  if (typeof name !== "string") return invalid("name", `${repr(name)} is not of type 'string'`)
  if (name === "") return invalid("name", "'' is too short")
  if (name.length > longest) return invalid("name", `${repr(name)} is too long`)
  return name.trim() === "" ? invalid("name", `${repr(name)} does not match '[\\\\S]+'`) : undefined
}

export const checkEnabled = (enabled: unknown): Answer | undefined =>
  enabled === undefined || enabled === null || typeof enabled === "boolean"
    ? undefined
    : invalid("enabled", `${repr(enabled)} is not of type 'boolean'`)

/** @param field the field of the tags; undefined when the body itself is the list */
export const checkTags = (tags: unknown, field?: "tags"): Answer | undefined => {
  const refuse = (why: string, index?: number) => {
    const at = index === undefined ? field : field === undefined ? String(index) : `${field}/${index}`
    return at === undefined ? badRequest(why) : invalid(at, why)
  }
  if (!Array.isArray(tags)) return refuse(`${repr(tags)} is not of type 'array'`)
  for (const [index, tag] of tags.entries()) {
    if (typeof tag !== "string") return refuse(`${repr(tag)} is not of type 'string'`, index)
    if (tag === "") return refuse("'' is too short", index)
    if (tag.length > 255) return refuse(`${repr(tag)} is too long`, index)
    if (/[,/]/.test(tag)) return refuse(`${repr(tag)} does not match '^[^,/]*$'`, index)
  }
  if (tags.length > 80) return refuse(`${repr(tags)} is too long`)
  return new Set(tags).size === tags.length ? undefined : refuse(`${repr(tags)} has non-unique elements`)
}
