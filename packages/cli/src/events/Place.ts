import { Effect, Option } from "effect"
import { quoted } from "../output/shell.ts"
import { type Given, Profile, Url } from "../globalFlags.ts"
import { Screen } from "../Screen.ts"
import { readCursor, writeCursor } from "./cursorFile.ts"

type Word = string | number | undefined

/** The flags of a command line with the values that were given, as a shell takes them. */
export const flagsOf = (given: Readonly<Record<string, Word | ReadonlyArray<string>>>): string =>
  Object.entries(given)
    .flatMap(([flag, values]) => [values ?? []].flat().map((_) => ` --${flag} ${quoted(String(_))}`))
    .join("")

/** Those that say which gateway, and as whom. */
const whereOf = Effect.gen(function* () {
  const named = (_: Given): boolean => _.by === "flag"
  const url = Option.filter(yield* Url, named)
  const profile = Option.filter(yield* Profile, named)
  return flagsOf({ profile: Option.getOrUndefined(profile)?.value, url: Option.getOrUndefined(url)?.value })
})

/** How far a command has read, in memory and, where one is named, in a file. */
export const placeIn = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const { note } = yield* Screen
  const where = yield* whereOf
  const kept = Option.isSome(file) ? yield* readCursor(file.value) : Option.none<string>()
  let last: string | undefined = Option.getOrUndefined(kept)
  const keep = (cursor: string) => {
    last = cursor
    return Option.isSome(file) ? writeCursor(file.value, cursor) : Effect.void
  }
  return {
    kept,
    /** A place that is not yet worth writing down. */
    opened: (cursor: string) => void (last ??= cursor),
    keep,
    /** Says how to come back, however the command ends. */
    farewell: (command: string) =>
      Effect.suspend(() => {
        if (last === undefined) return Effect.void
        if (Option.isNone(file)) return note(`Go on with: ${command}${where} --cursor ${quoted(last)}`)
        return Effect.andThen(
          Effect.ignore(writeCursor(file.value, last)),
          note(`Go on with: ${command}${where} --cursor-file ${quoted(file.value)}`)
        )
      })
  }
})
