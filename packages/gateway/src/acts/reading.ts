import { Predicate } from "effect"

/** Reads client input as the platform's services do, which are written in Python. */

export type JsonObject = { readonly [key: PropertyKey]: unknown }

/** The value below the members of an object, one inside the other; undefined where one of them is missing. */
export const memberOf = (value: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (found, name) => (Predicate.isReadonlyObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
    value
  )

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS"

/** POST, PUT and PATCH, and any other method that might carry a body. */
export const isWrite = (method: string): boolean => !isRead(method) && method !== "DELETE"

/** Characters that never occur in the spelling that rules use. */
const notCanonical = /[A-Z_]/

/**
 * The canonical form of a path segment, for rules that refuse. A router may take a suffix after a dot for a format
 * and drop it, Neutron accepts both `_` and `-` in collection names, and case is ignored even where a router respects
 * it. No word that a rule looks for contains a dot. Rules that allow compare the exact text instead.
 */
export const word = (segment: string | undefined): string => {
  if (segment === undefined) return ""
  const dot = segment.indexOf(".")
  const stem = dot < 0 ? segment : segment.slice(0, dot)
  return notCanonical.test(stem) ? stem.toLowerCase().replaceAll("_", "-") : stem
}

/**
 * Every object that a body of Neutron has for a resource, at any depth: single form, bulk form, both at once, a list
 * where an object belongs. However Neutron interprets the body, the object that it acts on is among these.
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

/** The canonical form of an id. */
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether Python's `not value` holds. An absent value counts as well. */
export const isFalsy = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (Predicate.isReadonlyObject(value) && Object.keys(value).length === 0)

/** Python's `strip()`: it treats four control characters as blanks that JavaScript does not, and keeps U+FEFF. */
export const stripped = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charAt(start))) start++
  while (start < end && isBlank(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (character: string): boolean =>
  /\p{White_Space}/u.test(character) || (character >= "\u001c" && character <= "\u001f")

/** Beyond ASCII, Python knows further digits and blanks. */
const foreign = /[^\0-\x7f]/
const integer = /^[+-]?\d+(_\d+)*$/

/**
 * The result of Python's `int()` for a JSON value, which accepts `" +0_22 "`, `22.9` and `true`. Undefined where
 * Python rejects the value; NaN where Python may know digits that this function does not.
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
