import { Effect, Option } from "effect"
import { Screen } from "../Screen.ts"
import { readCursor, writeCursor } from "./cursorFile.ts"

/** How far a command has read, in memory and, where one is named, in a file. */
export const placeIn = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const { note } = yield* Screen
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
        if (Option.isNone(file)) return note(`Go on with: ${command} --cursor ${last}`)
        return Effect.andThen(
          Effect.ignore(writeCursor(file.value, last)),
          note(`Go on with: ${command} --cursor-file ${file.value}`)
        )
      })
  }
})
