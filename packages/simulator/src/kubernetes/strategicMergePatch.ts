import { isObject, type JsonObject } from "../Json.ts"
import { goPrint } from "./goPrint.ts"
import { fieldIn, itemOf, type Merging, mergingOf, type Shape } from "./shapes.ts"

const order = "$setElementOrder/"
const unlisted = "$deleteFromPrimitiveList/"

/** A strategic merge patch on an object of a built-in kind, directives included. */
export const strategicPatch = (target: JsonObject, patch: JsonObject, shape: Shape): JsonObject => {
  if (patch["$patch"] === "replace") return plain(patch)
  if (patch["$patch"] === "delete") return {}
  const retained = patch["$retainKeys"]
  const kept = Array.isArray(retained) ? Object.entries(target).filter(([key]) => retained.includes(key)) : undefined
  const result: Record<string, unknown> = { ...(kept === undefined ? target : Object.fromEntries(kept)) }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(unlisted)) without(result, key.slice(unlisted.length), value)
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$")) continue
    const at = fieldIn(shape, key)
    if (value === null) delete result[key]
    else if (result[key] === undefined && isDirective(value)) continue
    else if (Array.isArray(value)) result[key] = mergedList(result[key], value, patch[`${order}${key}`], at)
    else result[key] = isObject(value) ? strategicPatch(objectOf(result[key]), value, at) : value
  }
  for (const [key, value] of Object.entries(patch)) {
    const field = key.slice(order.length)
    if (key.startsWith(order) && !Object.hasOwn(patch, field)) {
      result[field] = mergedList(result[field], [], value, fieldIn(shape, field))
    }
  }
  return result
}

/** Nothing is merged with what is not there, so the directive goes, and its map with it. */
const isDirective = (value: unknown): boolean => isObject(value) && value["$patch"] !== undefined

/** The item of a merged list that lacks its key, as Go says it. */
export const keyless = (patch: unknown, shape: Shape): string | undefined => {
  if (Array.isArray(patch)) {
    const key = keyOf(mergingOf(shape))
    const bare =
      key === undefined
        ? undefined
        : patch.find((_) => isObject(_) && _[key] === undefined && _["$patch"] !== "replace")
    if (bare !== undefined) return `map: ${goPrint(bare)} does not contain declared merge key: ${key}`
    return mergingOf(shape) === "atomic" ? undefined : firstOf(patch.map((_) => keyless(_, itemOf(shape))))
  }
  if (!isObject(patch)) return undefined
  const entries = Object.entries(patch).filter(([key]) => !key.startsWith("$"))
  return firstOf(entries.map(([key, _]) => keyless(_, fieldIn(shape, key))))
}

const firstOf = (all: ReadonlyArray<string | undefined>): string | undefined => all.find((_) => _ !== undefined)

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

const plain = (patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(patch).filter(([key, value]) => !key.startsWith("$") && value !== null))

/** Strategic merges go by the first key alone. */
const keyOf = (merging: Merging): string | undefined => (typeof merging === "string" ? undefined : merging.keys[0])

const mergedList = (
  target: unknown,
  patch: ReadonlyArray<unknown>,
  wanted: unknown,
  shape: Shape
): ReadonlyArray<unknown> => {
  const merging = mergingOf(shape)
  const live = Array.isArray(target) ? target : []
  if (merging === "atomic") return patch
  const key = keyOf(merging)
  const value = (_: unknown) => (key !== undefined && isObject(_) ? _[key] : _)
  const items = patch.filter((_) => !isObject(_) || _["$patch"] === undefined)
  const directives = patch.filter(isObject).filter((_) => _["$patch"] !== undefined)
  if (directives.some((_) => _["$patch"] === "replace" && value(_) === undefined)) return items
  const gone = new Set(directives.map(value))
  const left = live.filter((_) => !gone.has(value(_)))
  const given = items.map((item) => {
    const found: unknown = left.find((_) => value(_) === value(item))
    return isObject(item) ? strategicPatch(objectOf(found), item, itemOf(shape)) : item
  })
  const changed = (item: unknown) => given.find((_) => value(_) === value(item)) ?? item
  const fresh = given.filter((item) => !left.some((_) => value(_) === value(item)))
  const merged = [...left.map(changed), ...new Set(fresh)]
  const places = (Array.isArray(wanted) ? wanted : given).map(value)
  const place = (_: unknown) => places.indexOf(value(_))
  const named = merged.filter((_) => place(_) >= 0).toSorted((a, b) => place(a) - place(b))
  const serverOnly = merged.filter((_) => place(_) < 0)
  return interleaved(serverOnly, named, live.map(value), value)
}

/**
 * Items that only the server has among those of the patch: each goes before the first item of the patch that it
 * preceded, and behind those that are new.
 */
const interleaved = (
  serverOnly: ReadonlyArray<unknown>,
  patch: ReadonlyArray<unknown>,
  live: ReadonlyArray<unknown>,
  value: (item: unknown) => unknown
): ReadonlyArray<unknown> => {
  const [mine, ...rest] = serverOnly
  const [theirs, ...behind] = patch
  if (serverOnly.length === 0 || patch.length === 0) return [...patch, ...serverOnly]
  const [a, b] = [live.indexOf(value(mine)), live.indexOf(value(theirs))]
  return a >= 0 && b >= 0 && a < b
    ? [mine, ...interleaved(rest, patch, live, value)]
    : [theirs, ...interleaved(serverOnly, behind, live, value)]
}

const without = (result: Record<string, unknown>, field: string, values: unknown): void => {
  const list = result[field]
  if (Array.isArray(list) && Array.isArray(values)) result[field] = list.filter((_) => !values.includes(_))
}
