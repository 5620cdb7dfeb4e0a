import { Effect, FileSystem, Option } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chownSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { eventually, repository } from "../processes/children.ts"
import { complete, type Release } from "./releases.ts"

/** PostgreSQL does not run as root. */
const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined
export const account = owner ?? {}

const environment = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" }

/** Runs a program to its end as the server's account, and returns what it printed. A failure is a defect with its message. */
export const run = (file: string, args: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.promise(async (signal) => {
    const { stdout } = await promisify(execFile)(file, args, {
      ...account,
      cwd: "/",
      env: environment,
      signal,
      maxBuffer: 2 ** 26
    })
    return stdout
  })

export const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** A temporary directory that the server's account owns. It goes with the scope. */
export const directoryAs = Effect.fnUntraced(function* (options: {
  readonly directory?: string
  readonly prefix: string
}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Effect.orDie(fs.makeTempDirectoryScoped(options))
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid)
  return path
})

export const directory = directoryAs({ prefix: "portico-postgresql-" })

/** The releases that come without client programs take Debian's. */
const psqlFor = (release: Release): string => join((complete ?? release).bin, "psql")

/** A new cluster in that directory, whose every local login is the superuser's. */
export const initialise = (release: Release, data: string) =>
  run(join(release.bin, "initdb"), [
    `--pgdata=${data}`,
    "--username=portico",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions"
  ])

/** The processes that this one has started, by /proc. */
const childrenOf = (parent: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((_) => /^\d+$/.test(_))
    .map(Number)
    .filter((_) => parentOf(_) === parent)

/** NaN for a process that has ended. */
const parentOf = (pid: number): number => {
  const stat = Effect.runSync(Effect.option(attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"))))
  const text = Option.getOrElse(stat, () => "")
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1])
}

const attempt = <A>(act: () => A) => Effect.try({ try: act, catch: (cause) => cause })

const signal = (pid: number, name: NodeJS.Signals) => Effect.ignore(attempt(() => process.kill(pid, name)))

const running = (child: ChildProcess | undefined): child is ChildProcess =>
  child !== undefined && child.exitCode === null && child.signalCode === null

const exited = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (running(child)) child.once("exit", () => resume(Effect.void))
    else resume(Effect.void)
  })

/** A PostgreSQL on a data directory and a port of its own. It ends with the scope. */
export const server = Effect.fnUntraced(function* (
  release: Release,
  data: string,
  settings: Readonly<Record<string, string>> = {}
) {
  const port = yield* freePort
  let child: ChildProcess | undefined
  let log = ""

  const options = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: "off",
    max_connections: "60",
    ...settings
  }
  const spawned = Effect.sync(() => {
    const flags = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const started = spawn(join(release.bin, "postgres"), ["-D", data, ...flags], {
      ...account,
      cwd: "/",
      env: environment,
      stdio: ["ignore", "ignore", "pipe"]
    })
    started.stderr?.setEncoding("utf8").on("data", (_: string) => {
      log += _
    })
    child = started
  })
  const accepting = eventually(
    Effect.suspend(() => (/ready to accept (?:read-only )?connections/.test(log) ? Effect.void : Effect.fail(log)))
  )
  const start = Effect.suspend(() => {
    log = ""
    return Effect.andThen(spawned, Effect.orDie(accepting))
  })
  const end = (name: NodeJS.Signals) =>
    Effect.suspend(() => {
      if (!running(child) || child.pid === undefined) return Effect.void
      return Effect.andThen(signal(child.pid, name), exited(child))
    })
  yield* Effect.acquireRelease(start, () => end("SIGQUIT"))

  const url = (database: string) => `postgres://portico@127.0.0.1:${port}/${database}`
  return {
    release,
    data,
    port,
    url,
    log: () => log,
    start,
    /** A fast shutdown, which cuts every session. */
    stop: end("SIGINT"),
    /** The machine is lost: the main process and every session end at once. */
    kill: Effect.suspend(() => {
      const pid = child?.pid ?? 0
      const sessions = childrenOf(pid)
      return Effect.andThen(
        end("SIGKILL"),
        Effect.forEach(sessions, (_) => signal(_, "SIGKILL"), { discard: true })
      )
    }),
    /** Everything of it stands still meanwhile, as on a volume that stalls. Its sockets stay open. */
    frozen: <A, E, R>(effect: Effect.Effect<A, E, R>) => {
      const all = (name: NodeJS.Signals) =>
        Effect.suspend(() => {
          const pid = child?.pid ?? 0
          return Effect.forEach([pid, ...childrenOf(pid)], (_) => signal(_, name), { discard: true })
        })
      return Effect.acquireUseRelease(
        all("SIGSTOP"),
        () => effect,
        () => all("SIGCONT")
      )
    },
    /** Runs a script of deploy/postgresql. */
    script: (name: string) =>
      run(psqlFor(release), [
        url("portico"),
        "-X",
        "-v",
        "ON_ERROR_STOP=1",
        "-f",
        join(repository, "deploy/postgresql", name)
      ]),
    /** What a statement prints. */
    psql: (database: string, statement: string) =>
      Effect.map(run(psqlFor(release), ["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url(database), "-c", statement]), (_) =>
        _.trim()
      )
  }
})

export type Server = Effect.Success<ReturnType<typeof server>>

/** A cluster that was just made, with the database `portico`. */
export const fresh = Effect.fnUntraced(function* (release: Release, settings: Readonly<Record<string, string>> = {}) {
  return yield* freshIn(yield* directory, release, settings)
})

/** The same, in a directory of the server's account. */
export const freshIn = Effect.fnUntraced(function* (
  parent: string,
  release: Release,
  settings: Readonly<Record<string, string>> = {}
) {
  const data = join(parent, "data")
  yield* initialise(release, data)
  const started = yield* server(release, data, settings)
  if (complete !== undefined) yield* started.psql("postgres", "CREATE DATABASE portico")
  return started
})

/**
 * Copies the files of a server that runs, for a replica or a recovery: `pg_basebackup` is of Debian's release, and knows no newer one.
 * The session that starts the backup has to end it.
 */
export const backup = Effect.fnUntraced(function* (primary: Server, to: string) {
  const statements = [
    "SELECT pg_backup_start('replica', fast => true)",
    `\\! cp -a ${primary.data} ${to}`,
    `\\! rm -f ${to}/postmaster.pid ${to}/postmaster.opts`,
    "SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)"
  ]
  const commands = statements.flatMap((_) => ["-c", _])
  const printed = yield* run(psqlFor(primary.release), [
    "-XAtq",
    "-v",
    "ON_ERROR_STOP=1",
    "-d",
    primary.url("postgres"),
    ...commands
  ])
  const label = printed.slice(printed.indexOf("START WAL LOCATION"))
  yield* written(join(to, "backup_label"), label)
})

/** A file of the server's account. */
export const written = (file: string, text: string) =>
  Effect.sync(() => {
    writeFileSync(file, text)
    if (owner !== undefined) chownSync(file, owner.uid, owner.gid)
  })

/** A streaming replica of the server, at its newest state. */
export const replicaOf = Effect.fnUntraced(function* (primary: Server, name: string) {
  const data = join(yield* directory, "data")
  const source = `host=127.0.0.1 port=${primary.port} user=portico application_name=${name}`
  yield* backup(primary, data)
  yield* written(join(data, "standby.signal"), "")
  yield* written(join(data, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`)
  const replica = yield* server(primary.release, data, { hot_standby: "on" })
  return {
    ...replica,
    /** It receives nothing more, as when the network between the two is cut. */
    detach: Effect.gen(function* () {
      yield* replica.psql("postgres", "ALTER SYSTEM SET primary_conninfo = ''")
      yield* replica.psql("postgres", "SELECT pg_reload_conf()")
      const receivers = replica.psql("postgres", "SELECT count(*) FROM pg_stat_wal_receiver")
      yield* eventually(Effect.filterOrFail(receivers, (_) => _ === "0"))
    }),
    /** Returns when it takes writes. */
    promote: Effect.asVoid(replica.psql("postgres", "SELECT pg_promote(true, 30)"))
  }
})
