import { Predicate } from "effect"

type Json = Readonly<Record<string, unknown>>

/** The schema of the argument `fields` of tools that read: `label,state` or `status.phase`. */
export const fieldsInput = { type: "string" } as const

/** The most fields of an argument: each is looked up in the whole answer. */
export const mostFields = 100

/** The fields that an argument names, each once, separated by commas or as a list; undefined when it names none. */
export const fieldsOf = (given: unknown): ReadonlyArray<string> | undefined => {
  const names = (Array.isArray(given) ? given : [given])
    .flatMap((_) => (typeof _ === "string" ? _.split(",") : []))
    .map((_) => _.trim())
    .filter((_) => _ !== "")
  return names.length === 0 ? undefined : [...new Set(names)]
}

/** Fields of a page that lead to its other rows. They are always in the answer. */
const ofPages = new Set(["count", "next_cursor", "last_cursor"])

/** The most levels of a field's path. */
const deepest = 4

export type Selected =
  | { readonly selected: Json }
  | { readonly unknown: ReadonlyArray<string>; readonly known: ReadonlyArray<string> }

/**
 * Reduces an answer to some fields, of its own or of its rows. A name is known when the answer or its schema has such a
 * field.
 *
 * @param declared paths of the fields that the schema of the answer has; undefined when there is no schema
 */
export const selected = (
  body: Json,
  fields: ReadonlyArray<string>,
  declared: ReadonlySet<string> | undefined
): Selected => {
  const rows = Object.keys(body).filter((name) => isRows(body[name]))
  const known = knownIn(body, new Set(rows), declared)
  const byShort = Map.groupBy(known.keys(), (path) => known.get(path))
  // A name means its own path, or else the field of that name in each list of rows.
  const placesOf = (field: string) => (known.has(field) ? [field] : (byShort.get(field) ?? []))
  const placed = fields.map((field) => ({ field, paths: placesOf(field) }))
  const unknown = placed.filter((_) => _.paths.length === 0).map((_) => _.field)
  const empty = rows.length > 0 && rows.every((name) => !isFilled(body[name]))
  if (unknown.length > 0 && !(declared === undefined && empty)) {
    return { unknown, known: listed(known.values(), new Set(rows)) }
  }
  const kept = placed.flatMap((_) => _.paths.map((path) => path.split(".")))
  const page = Object.keys(body)
    .filter((_) => ofPages.has(_))
    .map((_) => [_])
  const cut = pruned(body, treeOf([...kept, ...page]))
  // An empty list has none of the fields, and stays in the answer as an empty list.
  const empties = Object.fromEntries(rows.filter((_) => empty && !(_ in record(cut))).map((_) => [_, []]))
  return { selected: { ...record(cut), ...empties } }
}

const record = (value: unknown): Json => (Predicate.isReadonlyObject(value) && !Array.isArray(value) ? value : {})

const isRows = (value: unknown): boolean => Array.isArray(value) && value.every((_) => Predicate.isReadonlyObject(_))

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** The longest name of a field that can be asked for, in characters. It bounds the length of a path. */
const longestName = 500

/**
 * The paths of all fields, each with its spelling in the argument: a field of a row goes without the name of its list.
 * It visits each path once: tenants choose how many lists and fields an answer has, so the work must stay linear.
 */
const knownIn = (
  body: Json,
  lists: ReadonlySet<string>,
  declared: ReadonlySet<string> | undefined
): ReadonlyMap<string, string> => {
  const known = new Map<string, string>()
  for (const [name, value] of Object.entries(body)) {
    if (name.length > longestName) continue
    known.set(name, name)
    const below = new Set<string>()
    addPaths(below, value, "", 1)
    for (const path of below) known.set(`${name}.${path}`, lists.has(name) ? path : `${name}.${path}`)
  }
  for (const path of declared ?? []) {
    const dot = path.indexOf(".")
    known.set(path, lists.has(path.slice(0, dot)) ? path.slice(dot + 1) : path)
  }
  return known
}

/** Adds the paths of all fields of a value. A path through a list means the field of each of its items. */
const addPaths = (paths: Set<string>, value: unknown, at: string, level: number): void => {
  if (Array.isArray(value)) {
    for (const item of value) addPaths(paths, item, at, level)
  } else if (Predicate.isReadonlyObject(value) && level < deepest) {
    for (const [name, one] of Object.entries(value)) {
      if (name.length > longestName) continue
      paths.add(`${at}${name}`)
      addPaths(paths, one, `${at}${name}.`, level + 1)
    }
  }
}

/** What is kept of an object, by the names of its fields; `whole` for all of a value. */
type Kept = "whole" | ReadonlyMap<string, Kept>

const treeOf = (paths: ReadonlyArray<ReadonlyArray<string>>): Kept => {
  if (paths.some((_) => _.length === 0)) return "whole"
  const below = Map.groupBy(paths, ([name = ""]) => name)
  return new Map([...below].map(([name, same]) => [name, treeOf(same.map((_) => _.slice(1)))]))
}

const pruned = (value: unknown, kept: Kept): unknown => {
  if (kept === "whole") return value
  if (Array.isArray(value)) return value.map((_) => pruned(_, kept))
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const below = kept.get(name)
      return below === undefined ? [] : [[name, pruned(one, below)]]
    })
  )
}

/** The most names in a refusal, and the most that are put in order for it. */
const mostListed = 80
const mostSorted = 1000

/** The known fields, in the spelling of the argument. */
const listed = (known: Iterable<string>, lists: ReadonlySet<string>): ReadonlyArray<string> =>
  [...new Set(known)]
    .filter((_) => !ofPages.has(_) && !lists.has(_))
    .slice(0, mostSorted)
    .toSorted((one, other) => one.split(".").length - other.split(".").length || one.localeCompare(other))
    .slice(0, mostListed)
