import { Context, Effect, FileSystem, Option, type PlatformError } from "effect"
import { randomUUID } from "node:crypto"
import { dirname, join } from "node:path"
import { CliFailure } from "../CliFailure.ts"
import { decoded } from "../utf8.ts"

/** A file as it is to be. */
export interface Change {
  readonly path: string
  /** What it says now; undefined when there is none. */
  readonly before: string | undefined
  /** What it is to say; undefined when it goes. */
  readonly after: string | undefined
  /** Whether it has a secret of ours: others may not read it. */
  readonly isSecret?: boolean | undefined
  readonly isProgram?: boolean | undefined
}

const because = (error: PlatformError.PlatformError): string => {
  const cause: unknown = error.reason.cause
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  return (
    {
      EACCES: "permission denied",
      EPERM: "permission denied",
      EROFS: "the file system is read-only",
      ENOSPC: "the disk is full",
      EDQUOT: "the disk quota is used up",
      EISDIR: "it is a folder",
      ENOTDIR: "a part of its path is not a folder",
      ELOOP: "its symbolic links lead in a circle"
    }[code] ?? error.reason.message
  )
}

const failing =
  (what: string, path: string) =>
  (error: PlatformError.PlatformError): CliFailure =>
    new CliFailure({
      exit: "refused",
      message: `${path} cannot be ${what}: ${because(error)}`,
      hint: "Nothing was changed in it. '--print' shows what to put there by hand"
    })

/** Whether every file counts as missing: what is planned then are the entries alone. */
export const Blank = Context.Reference<boolean>("portico/cli/setup/Blank", { defaultValue: () => false })

/** The text of a file; undefined when there is none. */
export const readText = Effect.fnUntraced(function* (path: string) {
  if (yield* Blank) return undefined
  const files = yield* FileSystem.FileSystem
  const bytes = yield* files
    .readFile(path)
    .pipe(
      Effect.catchTag("PlatformError", (error) =>
        error.reason._tag === "NotFound"
          ? Effect.as(danglingCheck(path), undefined)
          : Effect.fail(failing("read", path)(error))
      )
    )
  if (bytes === undefined) return undefined
  const text = decoded(bytes)
  if (text !== undefined) return text
  return yield* new CliFailure({
    exit: "refused",
    message: `${path} is not text in UTF-8`,
    hint: "Nothing was changed in it: written anew, it would lose characters. '--print' shows what to put there by hand"
  })
})

/** A link whose target is gone would be replaced by a file. */
const danglingCheck = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const link = yield* Effect.option(files.readLink(path))
  if (Option.isNone(link)) return
  return yield* new CliFailure({
    exit: "refused",
    message: `${path} is a symbolic link to ${link.value}, which does not exist`,
    hint: "Create that file, or remove the link"
  })
})

/** Writes whole or not at all, with the mode that the file has, through a symbolic link to where it leads. */
export const carryOut = Effect.fnUntraced(function* (change: Change) {
  const files = yield* FileSystem.FileSystem
  if ((yield* readText(change.path)) !== change.before) {
    return yield* new CliFailure({
      exit: "refused",
      message: `${change.path} was changed by another program at the same moment, and was left alone`,
      hint: "Run the command again"
    })
  }
  if (change.after === undefined) {
    return yield* Effect.mapError(files.remove(change.path), failing("removed", change.path))
  }
  const text = change.after
  yield* Effect.gen(function* () {
    const folder = dirname(change.path)
    if (!(yield* files.exists(folder))) yield* files.makeDirectory(folder, { recursive: true, mode: 0o700 })
    const path = change.before === undefined ? change.path : yield* files.realPath(change.path)
    const old = change.before === undefined ? undefined : yield* files.stat(path)
    const mode = old === undefined ? (change.isProgram ? 0o755 : 0o600) : old.mode & 0o777
    const beside = join(dirname(path), `.portico-${randomUUID()}`)
    yield* Effect.gen(function* () {
      yield* files.writeFileString(beside, text, { flag: "wx", mode: 0o600 })
      yield* files.chmod(beside, mode)
      // Another owner's file stays that owner's, where root writes it.
      const owner = Option.all([old?.uid ?? Option.none(), old?.gid ?? Option.none()])
      if (Option.isSome(owner)) yield* Effect.ignore(files.chown(beside, ...owner.value))
      yield* files.rename(beside, path)
    }).pipe(Effect.onError(() => Effect.ignore(files.remove(beside, { force: true }))))
  }).pipe(Effect.mapError(failing("written", change.path)))
})

/** A secret goes into no file that others may read. */
export const checkSecrecy = Effect.fnUntraced(function* ({ before, isSecret, path }: Change) {
  if (isSecret !== true || before === undefined) return
  const files = yield* FileSystem.FileSystem
  const { mode } = yield* Effect.mapError(files.stat(path), failing("read", path))
  if ((mode & 0o077) === 0) return
  return yield* new CliFailure({
    exit: "refused",
    message: `${path} can be read by others, and is to hold a secret`,
    hint: `Take their rights away with 'chmod 600 ${path}'`
  })
})
