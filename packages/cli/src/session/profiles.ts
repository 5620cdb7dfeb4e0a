import type { ParseError } from "jsonc-parser"
import { Effect, Predicate, Result, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { CliFailure } from "../CliFailure.ts"
import { configDirectory, stateDirectory } from "./directories.ts"
import { type FileProblem, problemOf, writePlain } from "./files.ts"
import { locked } from "./lock.ts"
import { type Profile, ProfileEntry } from "./Profile.ts"

type Json = Readonly<Record<string, unknown>>

/** The configuration: the profiles, and the name of the one in use. */
export interface Profiles {
  readonly current: string | undefined
  readonly all: ReadonlyArray<Profile>
}

const configFile = Effect.map(configDirectory, (_) => join(_, "config.json"))

const failed = (path: string, message: string, hint?: string) =>
  new CliFailure({ exit: "usage", message: `${path}: ${message}`, hint })

const unwritable = ({ path, reason }: FileProblem) =>
  new CliFailure({ exit: "usage", message: `The configuration ${path} cannot be written: ${reason}` })

/** Its text as an object. What cannot be read is never taken for empty, since it would be overwritten. */
const contentOf = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => problemOf(path, cause)
  }).pipe(
    Effect.catchIf(
      ({ code }) => code === "ENOENT",
      () => Effect.succeed("{}")
    ),
    Effect.mapError(({ reason }) => failed(path, `the configuration cannot be read: ${reason}`))
  )
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed)) return yield* malformed(path, text)
  const { success } = parsed
  return Predicate.isObject(success) ? success : yield* failed(path, "it is not an object")
})

/** Names the place; the engine's own sentence has it in another form at each release. */
const malformed = Effect.fnUntraced(function* (path: string, text: string) {
  const { parse, printParseErrorCode } = yield* Effect.promise(() => import("jsonc-parser"))
  const errors: Array<ParseError> = []
  parse(text, errors, { disallowComments: true, allowTrailingComma: false })
  const { error = 1, offset = 0 } = errors[0] ?? {}
  const before = text.slice(0, offset).split("\n")
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
  return yield* failed(
    path,
    `it is not JSON: ${printParseErrorCode(error)} at ${place}`,
    "Correct the file, or move it away and log in again"
  )
})

const entriesOf = (content: Json): Json => {
  const { profiles } = content
  return Predicate.isObject(profiles) ? { ...profiles } : {}
}

const decode = Schema.decodeUnknownEffect(ProfileEntry)

const profilesOf = Effect.fnUntraced(function* (path: string, content: Json) {
  const all = yield* Effect.forEach(Object.entries(entriesOf(content)), ([name, entry]) =>
    decode(entry).pipe(
      Effect.map((_): Profile => ({ ..._, name })),
      Effect.mapError(({ message }) => failed(path, `profiles.${name}: ${message}`))
    )
  )
  const { current } = content
  return { all, current: typeof current === "string" ? current : undefined } satisfies Profiles
})

export const readProfiles: Effect.Effect<Profiles, CliFailure> = Effect.flatMap(configFile, (path) =>
  Effect.flatMap(contentOf(path), (_) => profilesOf(path, _))
)

/** Changes the configuration; what is not of the profiles stays as it is. */
const changed = (
  change: (entries: Json, current: unknown) => { readonly profiles: Json; readonly current?: unknown }
) =>
  Effect.gen(function* () {
    const path = yield* configFile
    const lock = join(yield* stateDirectory, "config.lock")
    const work = Effect.gen(function* () {
      const content = yield* contentOf(path)
      const { current, ...others } = content
      const next = { ...others, ...change(entriesOf(content), current) }
      yield* Effect.mapError(writePlain(path, `${JSON.stringify(next, undefined, 2)}\n`), unwritable)
    })
    yield* locked(lock)(work).pipe(Effect.catchTag("FileProblem", (_) => Effect.fail(unwritable(_))))
  })

/** Keeps a profile, and works with it from now on. */
export const keepProfile = ({ name, ...entry }: Profile) =>
  changed((profiles) => ({ current: name, profiles: { ...profiles, [name]: entry } }))

/** Keeps a profile that nothing but its own program works with. */
export const addProfile = ({ name, ...entry }: Profile) =>
  changed((profiles, current) => ({
    ...(current === undefined ? {} : { current }),
    profiles: { ...profiles, [name]: entry }
  }))

export const useProfile = (name: string) => changed((profiles) => ({ current: name, profiles }))

export const dropProfile = (name: string) =>
  changed((profiles, current) => {
    const { [name]: _, ...others } = profiles
    return { ...(current === name ? {} : { current }), profiles: others }
  })
