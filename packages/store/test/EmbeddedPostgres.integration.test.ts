import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Logger, Option, Schedule, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { processTable } from "@portico/testing/processTable"
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from "../src/EmbeddedPostgres.ts"

/** One directory for all tests, because making a cluster takes most of the time. Each starts a server of its own. */
class DataDir extends Context.Service<DataDir, string>()("DataDir") {
  static readonly layer = Layer.effect(
    DataDir,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "portico-postgres-test-" }))
    })
  )
}

const database = (options: EmbeddedPostgresOptions) =>
  Layer.unwrap(Effect.map(EmbeddedPostgres, ({ url }) => PgClient.layer({ url }))).pipe(
    Layer.provideMerge(EmbeddedPostgres.layer(options))
  )

const serverProcess = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ pid: number }>`SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid`
  return row!.pid
})

/**
 * The processes that name a cluster on their command line: its server, and the shell that stops the server when its
 * owner is gone. A process that the server has just forked still has the server's command line, and is left out.
 */
const processesOn = (dataDir: string) =>
  Effect.sync(() => {
    const naming = processTable().filter((_) => _.command.includes(`${dataDir}/cluster/data`))
    const pids = new Set(naming.map((_) => _.pid))
    return naming.filter((_) => !pids.has(_.parent)).map((_) => _.pid)
  })

const nobodyLeft = (dataDir: string) =>
  processesOn(dataDir).pipe(
    Effect.repeat({ until: (pids) => pids.length === 0, schedule: Schedule.spaced("50 millis") })
  )

/** Another Node process, with a server up and running. */
const anotherOwner = Effect.fnUntraced(function* (dataDir: string) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const program = `
    import { Effect, Layer } from "effect"
    import { EmbeddedPostgres } from "${new URL("../src/EmbeddedPostgres.ts", import.meta.url)}"
    const ready = Layer.effectDiscard(Effect.sync(() => console.log("ready")))
    Effect.runFork(Layer.launch(Layer.provide(ready, EmbeddedPostgres.layer({ dataDir: "${dataDir}" }))))
  `
  const owner = yield* spawner.spawn(
    ChildProcess.make(process.execPath, ["--input-type=module", "--eval", program], { cwd: import.meta.dirname })
  )
  yield* owner.stdout.pipe(Stream.decodeText(), Stream.take(1), Stream.runDrain)
  return owner
})

/** A process of the account that owns a directory: PostgreSQL ignores what other accounts run. */
const processOf = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const { gid, uid } = yield* fs.stat(directory)
  const account = { uid: Option.getOrThrow(uid), gid: Option.getOrThrow(gid) }
  return yield* Effect.acquireRelease(
    Effect.sync(() => spawn("sleep", ["60"], { ...account, stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill())
  )
})

/** The signal is sent in no time, and the process takes a moment to end. */
const kill = (pid: number) =>
  Effect.sync(() => process.kill(pid, "SIGKILL")).pipe(
    Effect.andThen(
      Effect.repeat(
        Effect.sync(() => processTable().some((_) => _.pid === pid)),
        { until: (isThere) => !isThere, schedule: Schedule.spaced("10 millis") }
      )
    )
  )

// Other test files keep the machine busy meanwhile.

const services = DataDir.layer.pipe(Layer.provideMerge(NodeServices.layer), Layer.merge(Logger.layer([])))

layer(services, { excludeTestServices: true })("EmbeddedPostgres", (it) => {
  it.effect(
    "keeps its data for the next start",
    Effect.fnUntraced(function* () {
      const dataDir = yield* DataDir

      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE fruit (name text)`
        yield* sql`INSERT INTO fruit VALUES ('quince')`
      }).pipe(Effect.provide(database({ dataDir })))

      const fruit = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql`SELECT name, upper('é') AS upper FROM fruit`
      }).pipe(Effect.provide(database({ dataDir })))

      assert.deepStrictEqual(fruit, [{ name: "quince", upper: "É" }])
    })
  )

  it.effect(
    "makes another database once",
    Effect.fnUntraced(function* () {
      const dataDir = yield* DataDir
      const name = 'An "odd" name/1'

      const found = yield* Effect.gen(function* () {
        const postgres = yield* EmbeddedPostgres
        yield* postgres.database(name)
        const url = yield* postgres.database(name)
        return yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT current_database() AS name`).pipe(
          Effect.provide(PgClient.layer({ url }))
        )
      }).pipe(Effect.provide(EmbeddedPostgres.layer({ dataDir })))

      assert.deepStrictEqual(found, [{ name }])
    })
  )

  it.effect(
    "leaves no process behind",
    Effect.fnUntraced(function* () {
      const dataDir = yield* DataDir

      const [server, running] = yield* Effect.all([serverProcess, processesOn(dataDir)]).pipe(
        Effect.provide(database({ dataDir, durable: false }))
      )

      assert.strictEqual(running.length, 2)
      assert.throws(() => process.kill(server, 0), "ESRCH")
      yield* nobodyLeft(dataDir)
    })
  )

  it.effect(
    "starts again after the server was killed",
    Effect.fnUntraced(function* () {
      const dataDir = yield* DataDir

      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE survivor ()`
        yield* Effect.flatMap(serverProcess, kill)
      }).pipe(Effect.provide(database({ dataDir })))

      const survivor = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql`SELECT * FROM survivor`
      }).pipe(Effect.provide(database({ dataDir })))

      assert.deepStrictEqual(survivor, [])
    })
  )

  it.effect(
    "ignores a postmaster.pid whose number now belongs to another process",
    Effect.fnUntraced(function* () {
      const fs = yield* FileSystem.FileSystem
      const dataDir = yield* DataDir
      const server = Effect.provide(serverProcess, database({ dataDir }))
      yield* server
      const bystander = yield* processOf(join(dataDir, "cluster/data"))
      yield* fs.writeFileString(join(dataDir, "cluster/data/postmaster.pid"), `${bystander.pid}\n`)

      yield* server

      assert.isNull(bystander.exitCode ?? bystander.signalCode)
    })
  )

  it.effect(
    "stops when its process is killed",
    Effect.fnUntraced(function* () {
      const dataDir = yield* DataDir
      const owner = yield* anotherOwner(dataDir)

      yield* kill(owner.pid)

      yield* nobodyLeft(dataDir)
    })
  )

  it.effect(
    "takes over the server of a killed process, and refuses that of a live one",
    Effect.fnUntraced(function* () {
      const dataDir = yield* DataDir
      const owner = yield* anotherOwner(dataDir)
      const [server, watch] = yield* processesOn(dataDir)

      const refused = yield* Effect.flip(Effect.provide(EmbeddedPostgres, EmbeddedPostgres.layer({ dataDir })))
      assert.include(refused.message, `is in use by process ${owner.pid}`)

      yield* kill(watch!)
      yield* kill(owner.pid)
      assert.deepStrictEqual(yield* processesOn(dataDir), [server!])

      const successor = yield* Effect.provide(serverProcess, database({ dataDir }))
      assert.notStrictEqual(successor, server)
      yield* nobodyLeft(dataDir)
    })
  )

  it.effect(
    "fails with the server's own message",
    Effect.fnUntraced(function* () {
      const fs = yield* FileSystem.FileSystem
      const dataDir = yield* DataDir
      const server = Effect.provide(serverProcess, database({ dataDir }))
      yield* server
      const version = join(dataDir, "cluster/data/PG_VERSION")
      const rightVersion = yield* fs.readFileString(version)
      yield* fs.writeFileString(version, "9.6\n")

      const error = yield* Effect.flip(server).pipe(
        Effect.ensuring(Effect.orDie(fs.writeFileString(version, rightVersion)))
      )

      assert.include(error.message, "database files are incompatible with server")
    })
  )

  it.effect.skipIf(process.getuid?.() !== 0)(
    "moves to the temporary directory when root's own directories are closed to the server",
    Effect.fnUntraced(function* () {
      const fs = yield* FileSystem.FileSystem
      const closed = yield* fs.makeTempDirectoryScoped({ prefix: "portico-postgres-test-" })

      const [row] = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ data: string }>`SELECT current_setting('data_directory') AS data`
      }).pipe(Effect.provide(database({ dataDir: join(closed, "postgres"), durable: false })))

      const home = row!.data.replace("/cluster/data", "")
      yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(home, { recursive: true })))
      assert.match(home, new RegExp(`^${yield* fs.realPath(tmpdir())}/portico-postgres-[0-9a-f]{16}$`))
    })
  )
})
