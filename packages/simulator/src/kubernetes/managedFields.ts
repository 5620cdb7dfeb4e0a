import { isObject, type JsonObject } from "../Json.ts"
import { toSecondsUtc } from "../times.ts"
import { fieldIn, itemOf, keyValue, mergingOf, type Shape } from "./shapes.ts"
import { canonicalJson } from "./canonicalJson.ts"
import type { ManagedFields } from "./state.ts"

/** Steps of a path as `fieldsV1` spells them (`f:spec`, `k:{"name":"app"}`), joined by line feeds. */
export type FieldPath = string

export const stepsOf = (path: FieldPath): ReadonlyArray<string> => path.split("\n")

const system: ReadonlySet<string> = new Set([
  "f:apiVersion",
  "f:kind",
  "f:metadata",
  ...[
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink"
  ].map((_) => `f:metadata\nf:${_}`)
])

/** Of a map, a struct or a merged list, whose content has paths of its own. */
const inner = "\0"

/**
 * Every path of an object that a manager can own, with its value. `whole` includes the fields that the object
 * does not show, because they are empty.
 */
const nodesOf = (object: JsonObject, shape: Shape, whole: boolean): ReadonlyMap<FieldPath, string> => {
  const nodes = new Map<FieldPath, string>()
  const visit = (value: unknown, steps: ReadonlyArray<string>, at: Shape): void => {
    const path = steps.join("\n")
    if (steps.length > 0 && steps.length < 3 && system.has(path) && path !== "f:metadata") return
    const atomic = (at.form === "struct" || at.form === "map") && at.atomic
    if (isObject(value) && !atomic) {
      nodes.set(path, inner)
      for (const [key, below] of Object.entries(value)) visit(below, [...steps, `f:${key}`], fieldIn(at, key))
      if (at.form !== "struct" || !whole) return
      for (const [key, field] of at.fields) {
        if (field.empty !== undefined && !Object.hasOwn(value, key)) {
          visit(field.empty, [...steps, `f:${key}`], field.shape)
        }
      }
      return
    }
    const merging = mergingOf(at)
    if (!Array.isArray(value) || merging === "atomic") {
      nodes.set(path, canonicalJson(value))
      return
    }
    nodes.set(path, inner)
    for (const item of value) {
      if (merging === "set") nodes.set([...steps, `v:${JSON.stringify(item)}`].join("\n"), inner)
      else if (isObject(item)) visit(item, [...steps, keyStep(item, merging.keys, itemOf(at))], itemOf(at))
    }
  }
  visit(object, [], shape)
  nodes.delete("")
  nodes.delete("f:metadata")
  return nodes
}

/**
 * The paths that an applied configuration claims: its leaves, and the items of its merged lists. An empty map is a
 * leaf.
 */
export const claimedBy = (object: JsonObject, shape: Shape): ReadonlyMap<FieldPath, string> => {
  const nodes = nodesOf(object, shape, false)
  const parents = new Set([...nodes.keys()].map((_) => stepsOf(_).slice(0, -1).join("\n")))
  return new Map([...nodes].filter(([path]) => !parents.has(path) || stepsOf(path).at(-1)?.startsWith("k:") === true))
}

export const keyStep = (item: JsonObject, keys: ReadonlyArray<string>, shape: Shape): string =>
  `k:${JSON.stringify(Object.fromEntries(keys.toSorted().map((_) => [_, keyValue(item, _, shape)])))}`

const treeOf = (paths: ReadonlySet<FieldPath>): JsonObject => {
  const root: Record<string, unknown> = {}
  for (const path of [...paths].toSorted()) {
    let at = root
    const steps = stepsOf(path)
    for (const [index, step] of steps.entries()) {
      const below = at[step]
      const isOwned = paths.has(steps.slice(0, index + 1).join("\n")) && index < steps.length - 1
      const next: Record<string, unknown> = isObject(below) ? below : {}
      if (isOwned) next["."] = {}
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
    if (steps.length > 0 && (below.length === 0 || Object.hasOwn(tree, "."))) paths.add(steps.join("\n"))
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
  // Upstream loses the time of a scale.
  ...(writer.subresource === "scale" ? {} : { time: toSecondsUtc(writer.now) }),
  fieldsType: "FieldsV1",
  fieldsV1: treeOf(new Set(paths)),
  ...(writer.subresource === "" ? {} : { subresource: writer.subresource })
})

/** An entry with fewer paths, or none when no path is left. */
export const keeping = (entry: ManagedFields, kept: (path: FieldPath) => boolean): ReadonlyArray<ManagedFields> => {
  const paths = pathsOf(entry)
  const left = [...paths].filter(kept)
  if (left.length === paths.size) return [entry]
  return left.length === 0 ? [] : [{ ...entry, fieldsV1: treeOf(new Set(left)) }]
}

/** What applied comes first; then it goes by time and name. */
export const inOrder = (entries: ReadonlyArray<ManagedFields>): ReadonlyArray<ManagedFields> => {
  const key = (_: ManagedFields) => [_.operation, _.time ?? "", _.manager, _.apiVersion, _.subresource ?? ""].join("\n")
  return entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/**
 * The managed fields after a plain write: the writer is the only owner of the fields that it changed, and
 * removed fields have no owner.
 */
export const afterUpdate = (
  before: JsonObject,
  after: JsonObject,
  entries: ReadonlyArray<ManagedFields>,
  shape: Shape,
  writer: Writer
): ReadonlyArray<ManagedFields> | undefined => {
  const was = nodesOf(before, shape, true)
  const is = nodesOf(after, shape, true)
  const isChanged = (path: FieldPath, value: string) => (value === inner ? !was.has(path) : was.get(path) !== value)
  const changed = new Set([...is].filter(([path, value]) => isChanged(path, value)).map(([path]) => path))
  const own = entries.find((_) => isOf(writer, _))
  const others = entries
    .filter((_) => _ !== own)
    .flatMap((entry) => keeping(entry, (path) => is.has(path) && !changed.has(path)))
  const mine = new Set([...(own === undefined ? [] : pathsOf(own)), ...changed].filter((_) => is.has(_)))
  const left =
    own !== undefined && changed.size === 0
      ? keeping(own, (_) => is.has(_))
      : mine.size === 0
        ? []
        : [entryOf(writer, mine)]
  const all = inOrder([...others, ...left])
  return all.length === 0 ? undefined : all
}
