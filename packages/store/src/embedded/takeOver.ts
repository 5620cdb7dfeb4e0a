import { Effect, FileSystem, Option, Schedule } from "effect"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import type { Home } from "./Home.ts"
import { pidFileOf, postmaster } from "./postmaster.ts"
import { run } from "./run.ts"

/**
 * Stops the server of a dead process. It leaves the server of a live process
 * alone. It removes a `postmaster.pid` that names no server on this data, since
 * PostgreSQL would take any process with that id for one.
 */
export const takeOver = Effect.fnUntraced(function* (home: Home) {
  const fs = yield* FileSystem.FileSystem
  const left = yield* postmaster(home)
  if (left === undefined) return

  const command = yield* commandLine(left.pid)
  if (isServerOn(home, command)) {
    const owner = Number(/ portico\.owner=(\d+)/.exec(command)?.[1] ?? 0)
    if (owner !== 0 && (yield* commandLine(owner)) !== "") {
      return yield* new EmbeddedPostgresError({
        message: `${home.path} is in use by process ${owner}. Stop that first, or choose another data directory.`
      })
    }
    yield* Effect.logInfo(`Stopping PostgreSQL ${left.pid}, which a dead process left behind`)
    yield* stop(home, left.pid)
  }
  yield* fs.remove(pidFileOf(home), { force: true })
})

const isServerOn = (home: Home, command: string): boolean => command.includes(` -D ${home.data} `)

const stop = Effect.fnUntraced(function* (home: Home, pid: number) {
  for (const name of ["SIGINT", "SIGKILL"] as const) {
    yield* Effect.ignore(Effect.try(() => process.kill(pid, name)))
    const gone = yield* commandLine(pid).pipe(
      Effect.repeat({ while: (command) => isServerOn(home, command), schedule: Schedule.spaced("20 millis") }),
      Effect.timeoutOption("10 seconds")
    )
    if (Option.isSome(gone)) return
  }
  return yield* new EmbeddedPostgresError({ message: `PostgreSQL ${pid} on ${home.data} cannot be stopped` })
})

/**
 * The command line of a process, empty when the process is gone or a zombie:
 * from `/proc` where it exists, else from `ps`.
 */
const commandLine = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.readFileString(`/proc/${pid}/cmdline`).pipe(
    Effect.map((line) => line.replaceAll("\0", " ")),
    Effect.catch(() => run("ps", ["-ww", "-o", "args=", "-p", String(pid)])),
    Effect.orElseSucceed(() => "")
  )
})
