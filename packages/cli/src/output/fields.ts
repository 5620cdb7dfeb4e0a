import { Predicate } from "effect"
export type Json = Readonly<Record<string, unknown>>

/** What is at `a.b` of a value. Of a list, what is there in each of its elements. */
export const at = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) {
    const found = value.map((_) => at(_, path)).filter((_) => _ !== undefined)
    return found.length === 0 ? undefined : found
  }
  if (!Predicate.isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return value[path]
  const dot = path.indexOf(".")
  if (dot === -1 || !Object.hasOwn(value, path.slice(0, dot))) return undefined
  return at(value[path.slice(0, dot)], path.slice(dot + 1))
}

interface Tree extends Map<string, Tree> {}

const treeOf = (paths: ReadonlyArray<string>): Tree => {
  const root: Tree = new Map()
  for (const path of paths) {
    let node = root
    for (const key of path.split(".")) {
      const next: Tree = node.get(key) ?? new Map()
      node.set(key, next)
      node = next
    }
  }
  return root
}

const pruned = (value: unknown, tree: Tree): unknown => {
  if (tree.size === 0) return value
  if (Array.isArray(value)) return value.map((_) => pruned(_, tree))
  if (!Predicate.isObject(value)) return undefined
  const kept = [...tree].flatMap(([key, below]) => {
    const found = Object.hasOwn(value, key) ? pruned(value[key], below) : undefined
    return found === undefined ? [] : [[key, found] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** The value with these fields alone, in their order, each where it was: `b.c` stays in `b`. */
export const picked = (value: unknown, paths: ReadonlyArray<string>): unknown =>
  pruned(value, treeOf(paths)) ?? (Predicate.isObject(value) ? {} : value)

/** The fields of which links to other pages consist. */
const links = new Set(["next_cursor", "last_cursor", "next_continuation_token"])

/**
 * The rows of what is a list: an array, or a body that has nothing but one array
 * beside the links to other pages. Every form shows such a body as the array,
 * as it shows the rows of all pages; a body with anything else is one object.
 */
export const listIn = (value: unknown): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(value)) return value
  if (!Predicate.isObject(value)) return undefined
  const [first, ...more] = Object.entries(value).filter(([key]) => !links.has(key))
  return first !== undefined && more.length === 0 && Array.isArray(first[1]) ? first[1] : undefined
}

const usualNames = ["id", "name", "slug", "path", "number", "code"]

/**
 * The field that identifies a row: `id`; otherwise the first field that ends in
 * `_id`; otherwise `name`, `slug`, `path`, `number` or `code`, the first that is
 * there; otherwise the first field.
 */
export const identifierOf = (row: Json): string | undefined => {
  const keys = Object.keys(row)
  const [id = "id", ...names] = usualNames
  return [id, ...keys.filter((_) => _.endsWith("_id")), ...names].find((_) => keys.includes(_)) ?? keys[0]
}
