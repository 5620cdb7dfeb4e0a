import { Effect, FileSystem } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { eventually } from "../processes/children.ts"
import { account, directory, freePort, type Server } from "./Postgres.ts"

/** Whether there is a PgBouncer to start on this machine. */
export const isInstalled = spawnSync("pgbouncer", ["--version"]).status === 0

const accepts = (port: number) =>
  Effect.callback<void, string>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.sync(() => void socket.destroy())))
    socket.once("error", (error) => resume(Effect.fail(error.message)))
  })

/** A PgBouncer in front of the server, with few sessions for many clients. It ends with the scope. */
export const pgBouncer = Effect.fnUntraced(function* (
  server: Server,
  mode: "session" | "transaction" | "statement",
  size = 20
) {
  const fs = yield* FileSystem.FileSystem
  const port = yield* freePort
  const path = join(yield* directory, "pgbouncer.ini")
  const lines = [
    "[databases]",
    `portico = host=127.0.0.1 port=${server.port} dbname=portico user=portico`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${size}`,
    "max_client_conn = 200"
  ]
  yield* Effect.orDie(fs.writeFileString(path, lines.join("\n")))
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn("pgbouncer", ["-q", path], { ...account, cwd: "/", stdio: "ignore" })),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill("SIGKILL")
        await once(child, "exit")
      })
  )
  yield* Effect.orDie(eventually(accepts(port)))
  return { url: `postgres://portico@127.0.0.1:${port}/portico` }
})
