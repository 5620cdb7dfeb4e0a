import { isObject, type JsonObject } from "../Json.ts"
import { toSecondsUtc } from "../times.ts"
import { keyValue, mergingAt } from "./mergeStrategy.ts"
import type { ManagedFields, Thing } from "./state.ts"
import { canonicalJson } from "./validate.ts"

/** Steps of a path as `fieldsV1` spells them (`f:spec`, `k:{"name":"app"}`), joined by line feeds. */
export type FieldPath = string

export const stepsOf = (path: FieldPath): ReadonlyArray<string> => path.split("\n")

const system: ReadonlySet<string> = new Set([
  "f:apiVersion",
  "f:kind",
  ...[
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "generateName",
    "managedFields",
    "selfLink"
  ].map((_) => `f:metadata\nf:${_}`)
])

/** Every field of an object that a manager can own, with its value. An empty map is a field itself. */
export const leavesOf = (object: JsonObject, custom: boolean): ReadonlyMap<FieldPath, string> => {
  const leaves = new Map<FieldPath, string>()
  const visit = (value: unknown, steps: ReadonlyArray<string>, fields: ReadonlyArray<string>): void => {
    const path = steps.join("\n")
    if (system.has(path)) return
    if (isObject(value) && Object.keys(value).length > 0) {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...steps, `f:${key}`], [...fields, key])
      return
    }
    const merging = Array.isArray(value) ? mergingAt(fields, custom) : "atomic"
    if (!Array.isArray(value) || merging === "atomic" || value.length === 0) {
      leaves.set(path, canonicalJson(value))
      return
    }
    for (const item of value) {
      if (merging === "set") leaves.set([...steps, `v:${JSON.stringify(item)}`].join("\n"), "")
      else if (isObject(item)) visit(item, [...steps, keyStep(item, merging.keys)], fields)
    }
  }
  visit(object, [], [])
  leaves.delete("")
  leaves.delete("f:metadata")
  return leaves
}

export const keyStep = (item: JsonObject, keys: ReadonlyArray<string>): string =>
  `k:${JSON.stringify(Object.fromEntries(keys.map((_) => [_, keyValue(item, _)])))}`

const treeOf = (paths: Iterable<FieldPath>): JsonObject => {
  const root: Record<string, unknown> = {}
  for (const path of paths) {
    let at = root
    for (const step of stepsOf(path)) {
      const below = at[step]
      const next: Record<string, unknown> = isObject(below) ? below : step.startsWith("k:") ? { ".": {} } : {}
      at[step] = next
      at = next
    }
  }
  return root
}

export const pathsOf = ({ fieldsV1 }: ManagedFields): ReadonlySet<FieldPath> => {
  const paths = new Set<FieldPath>()
  const visit = (tree: JsonObject, steps: ReadonlyArray<string>): void => {
    const below = Object.entries(tree).filter(([step]) => step !== ".")
    if (below.length === 0 && steps.length > 0) paths.add(steps.join("\n"))
    for (const [step, inner] of below) visit(isObject(inner) ? inner : {}, [...steps, step])
  }
  visit(fieldsV1, [])
  return paths
}

/** The manager and the operation of a write, as {@link ManagedFields} has them. */
export interface Writer {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly subresource: string
  readonly now: number
}

export const isOf = (writer: Writer, entry: ManagedFields): boolean =>
  entry.manager === writer.manager &&
  entry.operation === writer.operation &&
  (entry.subresource ?? "") === writer.subresource

export const entryOf = (writer: Writer, paths: Iterable<FieldPath>): ManagedFields => ({
  manager: writer.manager,
  operation: writer.operation,
  apiVersion: writer.apiVersion,
  time: toSecondsUtc(writer.now),
  fieldsType: "FieldsV1",
  fieldsV1: treeOf([...paths].toSorted()),
  ...(writer.subresource === "" ? {} : { subresource: writer.subresource })
})

/** An entry with fewer paths, or none when no path is left. */
export const keeping = (entry: ManagedFields, kept: (path: FieldPath) => boolean): ReadonlyArray<ManagedFields> => {
  const paths = pathsOf(entry)
  const left = [...paths].filter(kept)
  if (left.length === paths.size) return [entry]
  return left.length === 0 ? [] : [{ ...entry, fieldsV1: treeOf(left.toSorted()) }]
}

/**
 * The managed fields after a plain write: the writer is the only owner of the fields that it changed, and
 * removed fields have no owner.
 */
export const afterUpdate = (
  before: Thing | null,
  after: Thing,
  custom: boolean,
  writer: Writer
): ReadonlyArray<ManagedFields> => {
  const was = before === null ? new Map<FieldPath, string>() : leavesOf(before, custom)
  const is = leavesOf(after, custom)
  const changed = new Set([...is].filter(([path, value]) => was.get(path) !== value).map(([path]) => path))
  const entries = after.metadata.managedFields ?? []
  const own = entries.find((_) => isOf(writer, _))
  const others = entries
    .filter((_) => _ !== own)
    .flatMap((entry) => keeping(entry, (path) => is.has(path) && !changed.has(path)))
  const mine = new Set([...(own === undefined ? [] : pathsOf(own)), ...changed].filter((_) => is.has(_)))
  if (own !== undefined && changed.size === 0) return [...others, ...keeping(own, (_) => is.has(_))]
  return mine.size === 0 ? others : [...others, entryOf(writer, mine)]
}
