import { Result } from "effect"
import { isObject, type JsonObject, parseJson } from "../Json.ts"
import type { Answer, Step } from "../Wire.ts"
import {
  claimedBy,
  entryOf,
  type FieldPath,
  inOrder,
  isOf,
  keeping,
  keyStep,
  pathsOf,
  stepsOf,
  type Writer
} from "./managedFields.ts"
import { fieldIn, itemOf, mergingOf, type Shape } from "./shapes.ts"
import type { ManagedFields, Thing } from "./state.ts"
import { refuse } from "./status.ts"

/**
 * Server-side apply: merges the configuration into the live object, removes the fields that this manager applied
 * before and now omits, and computes the managed fields. Changing a field of another manager is a conflict
 * unless forced.
 */
export const applied = (
  live: Thing,
  config: JsonObject,
  { force, shape, writer }: { readonly shape: Shape; readonly force: boolean; readonly writer: Writer }
): Step<Thing> => {
  const entries = live.metadata.managedFields ?? []
  const own = entries.find((_) => isOf(writer, _))
  const others = entries.filter((_) => _ !== own)
  const wanted = claimedBy(config, shape)
  const is = claimedBy(live, shape)
  const contested = (path: FieldPath) => is.has(path) && is.get(path) !== wanted.get(path)
  const conflicts = others.flatMap((entry) =>
    [...pathsOf(entry)].filter((_) => wanted.has(_) && contested(_)).map((path) => ({ entry, path }))
  )
  if (conflicts.length > 0 && !force) return Result.fail(conflicting(conflicts))
  const lost = new Set(conflicts.map((_) => _.path))
  const left = others.flatMap((entry) => keeping(entry, (_) => !lost.has(_)))
  const held = new Set([...wanted.keys(), ...left.flatMap((_) => [...pathsOf(_)])])
  const dropped = [...(own === undefined ? [] : pathsOf(own))].filter((_) => !held.has(_))
  const merged = dropped.reduce((_, path) => removed(_, stepsOf(path), held, shape), mergedConfig(live, config, shape))
  const managedFields = inOrder(wanted.size === 0 ? left : [...left, entryOf(writer, wanted.keys())])
  return Result.succeed({
    ...live,
    ...merged,
    metadata: { ...live.metadata, ...objectOf(merged["metadata"]), managedFields }
  })
}

/** A new object from an applied configuration. */
export const appliedNew = (thing: Thing, config: JsonObject, shape: Shape, writer: Writer): Thing => ({
  ...thing,
  metadata: { ...thing.metadata, managedFields: [entryOf(writer, claimedBy(config, shape).keys())] }
})

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

interface Conflict {
  readonly entry: ManagedFields
  readonly path: FieldPath
}

/** `.spec.containers[name="app"].image` */
const spelled = (path: FieldPath): string =>
  stepsOf(path)
    .map((step) => {
      const rest = step.slice(2)
      if (step.startsWith("f:")) return `.${rest}`
      if (step.startsWith("v:")) return `[=${rest}]`
      return `[${rest.slice(1, -1).replaceAll(/"(\w+)":/g, "$1=")}]`
    })
    .join("")

const holder = ({ apiVersion, manager, operation, subresource }: ManagedFields): string => {
  if (operation === "Apply") return `"${manager}"`
  return `"${manager}"${subresource === undefined ? "" : ` with subresource "${subresource}"`} using ${apiVersion}`
}

const conflicting = (conflicts: ReadonlyArray<Conflict>): Answer => {
  const byHolder = Map.groupBy(conflicts, ({ entry }) => holder(entry))
  const messages = [...byHolder].map(([name, all]) => {
    const [first] = all
    return all.length === 1 && first !== undefined
      ? `conflict with ${name}: ${spelled(first.path)}`
      : `conflicts with ${name}:\n${all.map((_) => `- ${spelled(_.path)}`).join("\n")}`
  })
  const number = `${conflicts.length} conflict${conflicts.length === 1 ? "" : "s"}`
  const causes = conflicts.map(({ entry, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${holder(entry)}`,
    field: spelled(path)
  }))
  return Result.merge(refuse(409, "Conflict", `Apply failed with ${number}: ${messages.join("\n")}`, { causes }))
}

const mergedConfig = (live: JsonObject, config: JsonObject, shape: Shape): JsonObject => {
  const merged = (target: unknown, value: unknown, at: Shape): unknown => {
    if (isObject(value)) {
      const base = isObject(target) && !("atomic" in at && at.atomic) ? target : {}
      return {
        ...base,
        ...Object.fromEntries(Object.entries(value).map(([key, _]) => [key, merged(base[key], _, fieldIn(at, key))]))
      }
    }
    const merging = mergingOf(at)
    if (!Array.isArray(value) || merging === "atomic" || !Array.isArray(target)) return value
    if (merging === "set") return [...new Set([...target, ...value])]
    return value.filter(isObject).reduce<ReadonlyArray<unknown>>((list, item) => {
      const step = keyStep(item, merging.keys, itemOf(at))
      const index = list.findIndex((_) => isObject(_) && keyStep(_, merging.keys, itemOf(at)) === step)
      return index < 0 ? [...list, item] : list.with(index, merged(list[index], item, itemOf(at)))
    }, target)
  }
  return objectOf(merged(live, config, shape))
}

/** Removes a field, and the item or map around it when no manager owns another field in it. */
const removed = (
  object: JsonObject,
  steps: ReadonlyArray<string>,
  held: ReadonlySet<FieldPath>,
  shape: Shape
): JsonObject => {
  const isHeld = (prefix: ReadonlyArray<string>) => {
    const start = prefix.join("\n")
    return [...held].some((_) => _ === start || _.startsWith(`${start}\n`))
  }
  const visit = (value: unknown, at: number, of: Shape): unknown => {
    const step = steps[at]
    if (step === undefined) return isHeld(steps) ? value : undefined
    if (Array.isArray(value)) {
      if (step.startsWith("v:")) return value.filter((_) => `v:${JSON.stringify(_)}` !== step)
      const keys = Object.keys(objectOf(parseJson(step.slice(2))))
      const index = value.findIndex((_) => isObject(_) && keyStep(_, keys, itemOf(of)) === step)
      if (index < 0) return value
      if (!isHeld(steps.slice(0, at + 1))) return value.toSpliced(index, 1)
      return value.with(index, visit(value[index], at + 1, itemOf(of)))
    }
    const field = step.slice(2)
    if (!isObject(value) || !Object.hasOwn(value, field)) return value
    const { [field]: inner, ...rest } = value
    const left = visit(inner, at + 1, fieldIn(of, field))
    const isEmpty = (isObject(left) && Object.keys(left).length === 0) || (Array.isArray(left) && left.length === 0)
    const gone = left === undefined || (isEmpty && !isHeld(steps.slice(0, at + 1)) && at > 0)
    return gone ? rest : { ...value, [field]: left }
  }
  return objectOf(visit(object, 0, shape))
}
