import { Effect } from "effect"
import { execFile } from "node:child_process"
import { basename } from "node:path"
import { promisify } from "node:util"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** The user and directory of a program. */
export interface RunOptions {
  readonly uid?: number
  readonly gid?: number
  readonly cwd?: string
}

/** A fixed environment: an inherited PGPORT, LC_ALL and the like would change how the server behaves. */
export const environment = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" }

/** Runs a program to its end and returns its standard output. */
export const run = (file: string, args: ReadonlyArray<string>, options?: RunOptions) =>
  Effect.tryPromise({
    try: (signal) => promisify(execFile)(file, args, { ...options, env: environment, signal }),
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `${basename(file)}: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })
  }).pipe(Effect.map(({ stdout }) => stdout))
