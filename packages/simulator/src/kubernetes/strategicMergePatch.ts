import { isObject, type JsonObject } from "../Json.ts"
import { type Merging, mergingAt } from "./mergeStrategy.ts"

const order = "$setElementOrder/"
const unlisted = "$deleteFromPrimitiveList/"

/** A strategic merge patch on an object of a built-in kind, directives included. */
export const strategicPatch = (target: JsonObject, patch: JsonObject): JsonObject => merged(target, patch, [])

const merged = (target: JsonObject, patch: JsonObject, path: ReadonlyArray<string>): JsonObject => {
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
    if (value === null) delete result[key]
    else result[key] = mergedField(result[key], value, [...path, key])
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(order)) sort(result, key.slice(order.length), value, path)
  }
  return result
}

const plain = (patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(patch).filter(([key, value]) => !key.startsWith("$") && value !== null))

const mergedField = (target: unknown, patch: unknown, path: ReadonlyArray<string>): unknown => {
  if (isObject(patch)) return merged(isObject(target) ? target : {}, patch, path)
  if (!Array.isArray(patch)) return patch
  const merging = mergingAt(path, false)
  const list = Array.isArray(target) ? target : []
  if (merging === "atomic") return patch
  return merging === "set" ? [...new Set([...list, ...patch])] : mergedList(list, patch, keyOf(merging), path)
}

/** Strategic merges go by the first key alone. */
const keyOf = (merging: Exclude<Merging, string>): string => merging.keys[0] ?? "name"

const mergedList = (
  target: ReadonlyArray<unknown>,
  patch: ReadonlyArray<unknown>,
  key: string,
  path: ReadonlyArray<string>
): ReadonlyArray<unknown> => {
  const items = patch.filter(isObject)
  if (items.some((_) => _["$patch"] === "replace" && _[key] === undefined)) {
    return items.filter((_) => _["$patch"] === undefined)
  }
  return items.reduce<ReadonlyArray<unknown>>((list, item) => {
    const index = list.findIndex((_) => isObject(_) && _[key] === item[key])
    const found = list[index]
    if (item["$patch"] === "delete") return index < 0 ? list : list.toSpliced(index, 1)
    return isObject(found) ? list.with(index, merged(found, item, path)) : [...list, merged({}, item, path)]
  }, target)
}

const without = (result: Record<string, unknown>, field: string, values: unknown): void => {
  const list = result[field]
  if (Array.isArray(list) && Array.isArray(values)) result[field] = list.filter((_) => !values.includes(_))
}

/** Items in the wanted order; those that the patch does not know of come behind. */
const sort = (result: Record<string, unknown>, field: string, wanted: unknown, path: ReadonlyArray<string>): void => {
  const list = result[field]
  if (!Array.isArray(list) || !Array.isArray(wanted)) return
  const merging = mergingAt([...path, field], false)
  const key = typeof merging === "string" ? undefined : keyOf(merging)
  const value = (_: unknown) => (key !== undefined && isObject(_) ? _[key] : _)
  const places = wanted.map(value)
  const place = (_: unknown) => {
    const index = places.indexOf(value(_))
    return index < 0 ? places.length : index
  }
  result[field] = list.toSorted((a, b) => place(a) - place(b))
}
