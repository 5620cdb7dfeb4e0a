import { Effect, FileSystem, Schedule } from "effect"
import type { ChildProcess } from "node:child_process"
import { createServer } from "node:net"
import { join } from "node:path"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import type { Home } from "./Home.ts"
import { exited, launch, stop } from "./launch.ts"
import { postmaster } from "./postmaster.ts"

export interface ServeOptions {
  readonly port: number | undefined
  readonly durable: boolean
}

/** Starts the server, waits until it accepts connections, and returns its port. It runs until the scope closes. */
export const serve = Effect.fnUntraced(
  function* (home: Home, bin: string, options: ServeOptions) {
    const port = options.port ?? (yield* freePort)
    const server = yield* Effect.acquireRelease(
      launch(home, join(bin, "postgres"), settings(port, options.durable)),
      stop
    )
    const failed = (what: string) =>
      Effect.flatMap(endOfLog(home), (logEnd) =>
        Effect.fail(
          new EmbeddedPostgresError({ message: `PostgreSQL ${what}. Its log, ${home.log}, ends:\n${logEnd}` })
        )
      )
    yield* Effect.raceFirst(ready(home, server), Effect.andThen(exited(server), failed("did not start"))).pipe(
      Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => failed("was not ready within a minute") })
    )
    yield* exited(server).pipe(
      Effect.andThen(failed("stopped by itself")),
      Effect.catch((error) => Effect.logError(error.message)),
      Effect.forkScoped
    )
    return port
  },
  // Another program may take the free port first. The shared memory of a killed server stays until its last session
  // ends.
  Effect.retry({
    while: (error) => /could not bind|is still in use/.test(error.message),
    schedule: Schedule.spaced("200 millis"),
    times: 15
  })
)

const settings = (port: number, durable: boolean): ReadonlyArray<string> => [
  `port=${port}`,
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  // Another process reads this from the command line to check whether the server's owner is alive.
  `portico.owner=${process.pid}`,
  ...(durable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=256MB"])
]

const ready = (home: Home, server: ChildProcess) =>
  Effect.repeat(postmaster(home), {
    until: (found) => found?.pid === server.pid && found?.ready === true,
    schedule: Schedule.spaced("10 millis")
  })

const endOfLog = Effect.fnUntraced(function* (home: Home) {
  const fs = yield* FileSystem.FileSystem
  const log = yield* fs.readFileString(home.log)
  return log.trim().split("\n").slice(-12).join("\n")
})

const freePort = Effect.callback<number, EmbeddedPostgresError>((resume) => {
  const server = createServer()
  server.once("error", (cause) => resume(Effect.fail(EmbeddedPostgresError.from(cause))))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
