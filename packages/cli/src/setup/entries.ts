import { Effect } from "effect"
import { type Change, readText } from "./files.ts"
import { allOneLine } from "./oneLine.ts"
import { type Allowed, markOf, ownershipOf, refusalOf, sourceIn, type Target } from "./Target.ts"
import {
  entryOf,
  type Fields,
  type Found,
  isUpToDate,
  type YamlEntry,
  readYaml,
  withEntry,
  withoutEntry
} from "./yamlFile.ts"

/** An entry of a YAML file, as people call it: `The cloud 'portico'`. */
export interface NamedEntry extends YamlEntry {
  readonly what: string
}

const markIn = (fields: unknown): string | undefined => {
  if (typeof fields !== "object" || fields === null) return undefined
  if ("managed_by" in fields && typeof fields.managed_by === "string") return sourceIn(fields.managed_by)
  return Object.values(fields)
    .map(markIn)
    .find((_) => _ !== undefined)
}

const sourceOf = (found: Found) => sourceIn(found.comment) ?? markIn(found.fields)

/** In place of a comment, where a client writes the file anew and drops them. */
export const extensions = (target: Target): Fields => ({
  extensions: [{ name: "portico", extension: { managed_by: markOf(target) } }]
})

const textOf = ({ after, before }: Change) => after ?? before ?? ""

export const untouched = Effect.fnUntraced(function* (path: string) {
  const before = yield* readText(path)
  const change: Change = { path, before, after: before }
  return change
})

/**
 * The change with an entry of ours in it; fields that it has beside those are kept. Fails for a value that would not
 * stay on its line: YAML would quote it, but no such value is right, and other programs copy these.
 */
export const setEntry = Effect.fnUntraced(function* (
  change: Change,
  wanted: NamedEntry,
  fields: Fields,
  target: Target,
  { force, managed }: Allowed & { readonly managed: ReadonlyArray<string> }
) {
  yield* allOneLine(wanted.what, { name: wanted.name, mark: markOf(target), ...fields })
  const file = yield* readYaml(textOf(change), change.path)
  const found = yield* entryOf(file, wanted)
  const ownership = found === undefined ? "none" : ownershipOf(sourceOf(found), target)
  const refusal = refusalOf(ownership, wanted.what, change.path, { force })
  if (refusal !== undefined) return yield* refusal
  const isManaged = (key: string) => managed.includes(key)
  const others = ownership === "ours" ? Object.entries(Object(found?.fields)).filter(([key]) => !isManaged(key)) : []
  const merged = { ...Object.fromEntries(others), ...fields }
  if (ownership === "ours" && isUpToDate(found?.fields, merged)) return change
  const comment = wanted.kind === "map" ? markOf(target) : undefined
  return { ...change, after: withEntry(file, wanted, merged, comment) } satisfies Change
})

/** The change without the entry, if it is one of ours. */
export const unsetEntry = Effect.fnUntraced(function* (change: Change, wanted: NamedEntry, { force }: Allowed) {
  const file = yield* readYaml(textOf(change), change.path)
  const found = yield* entryOf(file, wanted)
  if (found === undefined) return change
  const ownership = sourceOf(found) === undefined ? "foreign" : "ours"
  const refusal = refusalOf(ownership, wanted.what, change.path, { force })
  if (refusal !== undefined) return yield* refusal
  const after = withoutEntry(file, wanted)
  // A file in which nothing else ever stood was made by the setup.
  return { ...change, after: after.trim() === `${wanted.collection}: {}` ? undefined : after } satisfies Change
})
