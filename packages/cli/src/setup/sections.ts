import { Effect } from "effect"
import { type Change, readText } from "./files.ts"
import { checkIni, sectionIn, type Setting, withoutSection, withSection } from "./iniFile.ts"
import { type Allowed, ownershipOf, refusalOf, sourceIn, type Target } from "./Target.ts"

export interface WantedSection {
  readonly name: string
  /** As people call it: `The profile 'acme'`. */
  readonly what: string
  readonly settings: ReadonlyArray<Setting>
  /** The comment that says whose it is; absent when a setting says so. */
  readonly mark?: string | undefined
}

/** The change with a section of ours in the file. */
export const setSection = Effect.fnUntraced(function* (
  path: string,
  { mark, name, settings, what }: WantedSection,
  target: Target,
  allowed: Allowed
) {
  const before = yield* readText(path)
  const text = before ?? ""
  yield* checkIni(text, path)
  const found = sectionIn(text, name)
  const ownership = found === undefined ? "none" : ownershipOf(sourceIn(found), target)
  const refusal = refusalOf(ownership, what, path, allowed)
  if (refusal !== undefined) return yield* refusal
  // Forced, nothing of the foreign one stays: a left-over key would be used in place of the helper.
  const cleared = ownership === "ours" || ownership === "none" ? text : withoutSection(text, name)
  const managed = ["ca_bundle"]
  const after = yield* withSection(cleared, name, settings, { managed, mark })
  return { path, before, after } satisfies Change
})

/** The change without the section, if it is one of ours. */
export const unsetSection = Effect.fnUntraced(function* (
  path: string,
  { name, what }: Pick<WantedSection, "name" | "what">,
  allowed: Allowed
) {
  const before = yield* readText(path)
  const change: Change = { path, before, after: before }
  if (before === undefined) return change
  yield* checkIni(before, path)
  const found = sectionIn(before, name)
  if (found === undefined) return change
  const refusal = refusalOf(sourceIn(found) === undefined ? "foreign" : "ours", what, path, allowed)
  if (refusal !== undefined) return yield* refusal
  const after = withoutSection(before, name)
  return { ...change, after: after.trim() === "" ? undefined : after } satisfies Change
})
