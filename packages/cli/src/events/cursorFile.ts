import { Effect, FileSystem, Option, type PlatformError } from "effect"
import { randomUUID } from "node:crypto"
import { CliFailure } from "../CliFailure.ts"
import { Flag } from "../effectCli.ts"

export const cursorFileFlag = Flag.Path("cursor-file").pipe(
  Flag.withDescription("Keeps the place in this file, and goes on from there in a later run"),
  Flag.withMetavar("path"),
  Flag.optional
)

/** Replaces a file as a whole, so that a process that dies leaves the old or the new one. */
export const replaceFile = Effect.fnUntraced(function* (path: string, text: string, mode: number) {
  const files = yield* FileSystem.FileSystem
  // Of a name that nobody has taken before: a link that waits there would lead to another file.
  const draft = `${path}.${randomUUID()}.new`
  yield* files.writeFileString(draft, text, { flag: "wx", mode })
  yield* Effect.onError(files.rename(draft, path), () => Effect.ignore(files.remove(draft, { force: true })))
})

const cannot = (what: string, path: string) => (error: PlatformError.PlatformError) =>
  new CliFailure({ exit: "usage", message: `The place in the log cannot be ${what} '${path}': ${error.reason._tag}` })

/** The cursor in a file; none while there is no file. */
export const readCursor = Effect.fnUntraced(function* (path: string) {
  const text = yield* (yield* FileSystem.FileSystem).readFileString(path).pipe(
    Effect.catchIf(
      (error) => error.reason._tag === "NotFound",
      () => Effect.succeed("")
    ),
    Effect.mapError(cannot("read from", path))
  )
  const cursor = text.trim()
  return cursor === "" ? Option.none<string>() : Option.some(cursor)
})

export const writeCursor = (path: string, cursor: string) =>
  Effect.mapError(replaceFile(path, `${cursor}\n`, 0o644), cannot("written to", path))
