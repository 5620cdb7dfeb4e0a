import { PgClient } from "@effect/sql-pg"
import { EmbeddedPostgres } from "@portico/store/EmbeddedPostgres"
import { Context, Effect, Exit, FileSystem, Layer, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { freePort } from "../../bench/proxy/processes.ts"

/** Megabytes of the file system that holds the database. */
const size = 1_536

/**
 * A file system of its own, so that it can be full without filling the machine's. Only root may mount one; otherwise
 * there is none, and the disk is not filled.
 */
const ownFileSystem = Effect.fnUntraced(function* (directory: string) {
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}m`, "tmpfs", directory]).status === 0
  if (!mounted) return false
  yield* Effect.addFinalizer(() => Effect.sync(() => spawnSync("umount", ["-l", directory])))
  return true
})

/** A PostgreSQL that can be restarted, crashed, and robbed of its disk. */
export const postgres = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "portico-soak-postgres-" })
  yield* fs.chmod(directory, 0o755)
  const isLimited = yield* ownFileSystem(directory)
  const dataDir = join(directory, "home")
  yield* fs.makeDirectory(dataDir)
  const port = yield* freePort

  let running: { readonly scope: Scope.Closeable; readonly server: EmbeddedPostgres["Service"] } | undefined
  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(EmbeddedPostgres.layer({ dataDir, port }), scope).pipe(
      Effect.tapError(() => Scope.close(scope, Exit.void))
    )
    running = { scope, server: Context.get(built, EmbeddedPostgres) }
    return running.server
  })
  const stop = Effect.suspend(() => {
    const was = running
    running = undefined
    return was === undefined ? Effect.void : Scope.close(was.scope, Exit.void)
  })
  yield* Effect.addFinalizer(() => stop)
  const first = yield* start
  const url = Redacted.value(first.url)

  const sql = yield* Effect.provide(
    PgClient.make({ url: Redacted.make(url), maxConnections: 3, applicationName: "soak" }),
    Reactivity.layer
  )

  const ballast = join(directory, "ballast")
  return {
    url,
    sql,
    /** Whether the disk can be filled. */
    isLimited,
    /** A regular restart: sessions are cut. */
    restart: Effect.andThen(stop, Effect.asVoid(start)),
    /** Kills the server's main process, as a lost machine does; what was committed is read from the log again. */
    crash: Effect.gen(function* () {
      const text = yield* fs.readFileString(join(dataDir, "cluster/data/postmaster.pid"))
      process.kill(Number(text.split("\n")[0]), "SIGKILL")
      yield* Effect.sleep("500 millis")
      yield* stop
      yield* start
    }),
    /** Leaves no byte free. */
    fill: Effect.promise(async () => {
      // In turns with everything else: webhooks are received in this process.
      const file = await open(ballast, "w")
      const block = randomBytes(1024 * 1024)
      for (let part: Buffer = block; part.length >= 512;) {
        const written = await file.write(part).then(
          (_) => _.bytesWritten,
          () => 0
        )
        if (written < part.length) part = part.subarray(0, part.length / 2)
      }
      await file.close()
    }),
    /** Frees it, and starts the server again where it has given up. */
    free: Effect.gen(function* () {
      yield* fs.remove(ballast, { force: true })
      yield* Effect.sleep("1 second")
      const alive = yield* Effect.isSuccess(Effect.timeout(sql`SELECT 1`, "15 seconds"))
      if (alive) return "it went on by itself"
      yield* stop
      yield* start
      return "the server had ended and was started again"
    })
  }
})

export type Postgres = Effect.Success<typeof postgres>
export type Sql = SqlClient.SqlClient
