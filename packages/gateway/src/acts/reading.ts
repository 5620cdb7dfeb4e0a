import { Predicate } from "effect"

/** How the platform's services, which are written in Python, read what a client sends. */

export type JsonObject = { readonly [key: PropertyKey]: unknown }

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS"

/** POST, PUT and PATCH, and any other method that might carry a body. */
export const isWrite = (method: string): boolean => !isRead(method) && method !== "DELETE"

/** What a word that is spelled as rules have it does not hold. */
const unlike = /[A-Z_]/

/**
 * The word that a segment is to a router, for rules that refuse: what follows a
 * dot may be taken for a format and dropped, Neutron finds a collection with
 * either of `_` and `-` in its name, and letters of either case count as the
 * same, whether or not a router takes them so. No word that a rule looks for
 * has a dot. What a rule allows it compares letter by letter instead.
 */
export const word = (segment: string | undefined): string => {
  if (segment === undefined) return ""
  const dot = segment.indexOf(".")
  const stem = dot < 0 ? segment : segment.slice(0, dot)
  return unlike.test(stem) ? stem.toLowerCase().replaceAll("_", "-") : stem
}

/**
 * Every object that a body of Neutron has for a resource, at any depth: single
 * form, bulk form, both at once, a list where an object belongs. Whatever
 * Neutron makes of the body, the object that it acts on is among these.
 *
 * @param resource in the singular: `security_group_rule`
 */
export const objectsFor = (body: unknown, resource: string): ReadonlyArray<JsonObject> => {
  if (!Predicate.isReadonlyObject(body)) return []
  const found: Array<JsonObject> = []
  const open: Array<unknown> = [body[resource], body[`${resource}s`]]
  while (open.length > 0) {
    const value = open.pop()
    if (Array.isArray(value)) for (const item of value) open.push(item)
    if (!Predicate.isReadonlyObject(value)) continue
    found.push(value)
    for (const item of Object.values(value)) open.push(item)
  }
  return found
}

/** What Python's `not value` holds for, and what is absent. */
export const isFalsy = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (Predicate.isReadonlyObject(value) && Object.keys(value).length === 0)

/** Python's `strip()`: it takes four control characters for blanks that JavaScript does not, and leaves U+FEFF. */
export const stripped = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charAt(start))) start++
  while (start < end && isBlank(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (character: string): boolean =>
  /\p{White_Space}/u.test(character) || (character >= "\u001c" && character <= "\u001f")

/** Beyond ASCII there are more digits and blanks to Python. */
const foreign = /[^\0-\x7f]/
const integer = /^[+-]?\d+(_\d+)*$/

/**
 * What Python's `int()` makes of a JSON value: `" +0_22 "`, `22.9` and `true`
 * are numbers to it. Undefined where it refuses; NaN where it may know digits
 * that are not looked up here.
 */
export const intOf = (value: unknown): number | undefined => {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? Math.trunc(value) : undefined
    case "boolean":
      return Number(value)
    case "string": {
      if (foreign.test(value)) return Number.NaN
      const text = value.trim()
      return integer.test(text) ? Number(text.replaceAll("_", "")) : undefined
    }
  }
}
