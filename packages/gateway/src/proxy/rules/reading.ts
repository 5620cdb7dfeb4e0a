import { Predicate } from "effect"

/** How the platform's services, which are written in Python, read what a client sends. */

export type JsonObject = { readonly [key: PropertyKey]: unknown }

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS"

/** POST, PUT and PATCH, and any other method that might carry a body. */
export const isWrite = (method: string): boolean => !isRead(method) && method !== "DELETE"

/**
 * The word that a segment is to a router: what follows a dot may be taken for
 * a format and dropped, and Neutron finds a collection with either of `_` and
 * `-` in its name. No word that a rule looks for has a dot.
 */
export const word = (segment: string | undefined): string => {
  if (segment === undefined) return ""
  const dot = segment.indexOf(".")
  const stem = dot < 0 ? segment : segment.slice(0, dot)
  return stem.includes("_") ? stem.replaceAll("_", "-") : stem
}

/**
 * Every object in a JSON value, at any depth. Single form, bulk form, both at
 * once, a list where an object belongs: whatever the service makes of the
 * body, the object that it acts on is among these.
 */
export const objectsIn = (body: unknown): ReadonlyArray<JsonObject> => {
  const found: Array<JsonObject> = []
  const open: Array<unknown> = [body]
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

/** A character that is not ASCII: to Python it may be a digit or white space, to a database the like of another letter. */
export const hasForeign = (text: string): boolean => /[^\0-\x7f]/.test(text)

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
      if (hasForeign(value)) return Number.NaN
      const text = value.trim()
      return integer.test(text) ? Number(text.replaceAll("_", "")) : undefined
    }
  }
}
