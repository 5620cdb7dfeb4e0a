import { Effect, FileSystem } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { open } from "node:fs/promises"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { handOver, type Home } from "./Home.ts"
import { environment } from "./run.ts"

/**
 * The server gets a process group of its own, so that Ctrl-C reaches only this
 * process, which may still need the database to finish its work.
 *
 * A process that is killed closes no scope. So a shell beside the server reads
 * from a pipe until this process ends, for whatever reason, and then asks the
 * server to stop.
 */
export const launch = Effect.fnUntraced(function* (home: Home, postgres: string, settings: ReadonlyArray<string>) {
  const log = yield* freshLog(home)
  const common = { ...home.account, cwd: home.path, env: environment, detached: true }

  return yield* Effect.callback<ChildProcess, EmbeddedPostgresError>((resume) => {
    const server = spawn(postgres, ["-D", home.data, ...settings.flatMap((setting) => ["-c", setting])], {
      ...common,
      stdio: ["ignore", log.fd, log.fd]
    })
    server.once("error", (cause) => resume(Effect.fail(EmbeddedPostgresError.from(cause))))
    server.once("spawn", () => {
      const watch = spawn("sh", ["-c", 'read -r _; kill -INT "$0"', String(server.pid), home.data], {
        ...common,
        stdio: ["pipe", "ignore", "ignore"]
      })
      watch.once("error", () => {})
      server.once("exit", () => watch.kill("SIGKILL"))
      resume(Effect.succeed(server))
    })
  })
}, Effect.scoped)

/** The log file stays open until the server process has inherited it. */
const freshLog = Effect.fnUntraced(function* (home: Home) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(home.log, { force: true })
  const log = yield* Effect.acquireRelease(
    Effect.tryPromise(() => open(home.log, "wx", 0o600)),
    (file) => Effect.promise(() => file.close())
  )
  yield* handOver(home, home.log)
  return log
})

/** Asks the server for a fast shutdown, and kills it after 10 s. */
export const stop = Effect.fnUntraced(function* (server: ChildProcess) {
  server.kill("SIGINT")
  const killed = Effect.andThen(
    Effect.sync(() => server.kill("SIGKILL")),
    exited(server)
  )
  yield* Effect.timeoutOrElse(exited(server), { duration: "10 seconds", orElse: () => killed })
})

export const exited = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    const listener = () => resume(Effect.void)
    child.once("exit", listener)
    return Effect.sync(() => child.off("exit", listener))
  })
