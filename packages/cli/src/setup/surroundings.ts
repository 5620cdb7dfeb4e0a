import { Config, Effect, FileSystem, Option } from "effect"
import { homedir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import process from "node:process"

/** A variable of the environment, unless it is empty. */
export const variable = (name: string): Effect.Effect<string | undefined> =>
  Effect.map(Effect.orDie(Config.option(Config.String(name))), (_) => Option.getOrUndefined(_) || undefined)

export const home: Effect.Effect<string> = Effect.map(variable("HOME"), (_) => _ ?? homedir())

/** A folder below the XDG base directory for configuration. */
export const configHome = Effect.fnUntraced(function* (folder: string) {
  return join((yield* variable("XDG_CONFIG_HOME")) ?? join(yield* home, ".config"), folder)
})

/** The path that a variable names, or the file of the home directory. */
export const pathOf = Effect.fnUntraced(function* (name: string, ...below: ReadonlyArray<string>) {
  const given = yield* variable(name)
  return given === undefined ? join(yield* home, ...below) : resolve(given)
})

/** Folders that npm adds to the PATH of what it starts: a client that is started by hand does not find them. */
const isOfNpm = (folder: string) => /[\\/]node_modules[\\/]\.bin[\\/]?$|[\\/]node-gyp-bin[\\/]?$/.test(folder)

/** Folders of the PATH that every program of this user finds. */
export const searchPath: Effect.Effect<ReadonlyArray<string>> = Effect.map(variable("PATH"), (path = "") =>
  path.split(delimiter).filter((_) => _ !== "" && !isOfNpm(_))
)

/** Where a program is on the PATH. */
export const programAt = Effect.fnUntraced(function* (name: string) {
  const files = yield* FileSystem.FileSystem
  for (const folder of yield* searchPath) {
    const path = join(folder, name)
    const isRunnable = yield* Effect.matchEffect(files.access(path), {
      onFailure: () => Effect.succeed(false),
      onSuccess: () => Effect.map(files.stat(path), ({ mode, type }) => type === "File" && (mode & 0o111) !== 0)
    }).pipe(Effect.orElseSucceed(() => false))
    if (isRunnable) return path
  }
  return undefined
})

/**
 * How another program starts this one: by its name when the PATH has it, because that survives updates, else by
 * the absolute paths of what runs now.
 */
export const ownCommand = Effect.fnUntraced(function* (isAbsolute: boolean) {
  if (!isAbsolute && (yield* programAt("portico")) !== undefined) return ["portico"]
  const [program = process.execPath, script] = process.argv
  return script === undefined || program === script ? [program] : [program, script]
})
