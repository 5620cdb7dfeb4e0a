import { Clock, Effect, Result, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { dirname } from "node:path"
import process from "node:process"
import { FileProblem, problemOf } from "./files.ts"

/** Who holds a lock. A process id comes again; together with the start of the process it does not. */
interface Holder {
  readonly pid: number
  readonly host: string
  readonly started: string | undefined
  readonly nonce: string
}

/** Longer than a renewal takes with all its repetitions. */
const patienceMillis = 60_000

/** Of another machine, whose processes cannot be seen. */
const foreignMillis = 120_000

/** Field 22 of the process's line: its start in ticks since the boot. Undefined where there is no /proc. */
const startOf = (pid: number): Promise<string | undefined> =>
  readFile(`/proc/${pid}/stat`, "utf8").then(
    // The name of the program stands in parentheses, and may have any of them in it.
    (line) => line.slice(line.lastIndexOf(")") + 2).split(" ")[19],
    () => undefined
  )

/** Signal 0 is not sent: it fails for a process that is not there, and for one of another user in another way. */
const isAlive = (pid: number): boolean =>
  Result.match(
    Result.try(() => process.kill(pid, 0)),
    {
      onSuccess: () => true,
      onFailure: (error) => error instanceof Error && "code" in error && error.code === "EPERM"
    }
  )

const parsedHolder = (text: string): Holder | undefined => {
  const [pid = "", host = "", started = "", nonce = ""] = text.split("\n")
  return /^\d+$/.test(pid) && nonce !== ""
    ? { pid: Number(pid), host, started: started === "" ? undefined : started, nonce }
    : undefined
}

const written = ({ host, nonce, pid, started }: Holder): string => [pid, host, started ?? "", nonce].join("\n")

const isStale = async (path: string, holder: Holder | undefined, now: number): Promise<boolean> => {
  const age =
    now -
    (await stat(path).then(
      (_) => _.mtimeMs,
      () => now
    ))
  // It is created with its content, so that only another program can have written anything else.
  if (holder === undefined || holder.host !== hostname()) return age > foreignMillis
  if (!isAlive(holder.pid)) return true
  const started = await startOf(holder.pid)
  return started !== undefined && holder.started !== undefined && started !== holder.started
}

const isThere = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "EEXIST"

/** Creates a file with its content, in one step; false when it exists. */
const created = async (path: string, text: string): Promise<boolean> => {
  const draft = `${path}.${process.pid}-${randomBytes(6).toString("hex")}`
  await writeFile(draft, text, { flag: "wx", mode: 0o600 })
  return link(draft, path)
    .then(
      () => true,
      (cause: unknown) => {
        if (isThere(cause)) return false
        throw cause
      }
    )
    .finally(() => rm(draft, { force: true }))
}

const read = (path: string): Promise<Holder | undefined> => readFile(path, "utf8").then(parsedHolder, () => undefined)

/** Removes the lock of a dead process. Only one process does so at a time: another would remove the next one's lock. */
const takeOver = async (path: string, own: Holder, now: number): Promise<void> => {
  const guard = `${path}.takeover`
  if (!(await created(guard, written(own)))) {
    if (await isStale(guard, await read(guard), now)) await rm(guard, { force: true })
    return
  }
  const remove = async () => {
    if (await isStale(path, await read(path), now)) await rm(path, { force: true })
  }
  await remove().finally(() => rm(guard, { force: true }))
}

/** One attempt: the lock, or who has it. */
const attempt = async (path: string, own: Holder, now: number): Promise<"held" | "busy"> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  if (await created(path, written(own))) return "held"
  if (await isStale(path, await read(path), now)) await takeOver(path, own, now)
  return "busy"
}

/**
 * Runs an effect while no other process on the same path does. The lock of a process that is gone is taken over at
 * once. A file system on which nothing can be written has no locks: the effect runs without one.
 */
export const locked =
  (path: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | FileProblem, R> =>
    Effect.gen(function* () {
      const started = yield* Effect.promise(() => startOf(process.pid))
      const own = { pid: process.pid, host: hostname(), started, nonce: randomBytes(8).toString("hex") }
      const begun = yield* Clock.currentTimeMillis
      const busy = new FileProblem({ path, code: "EBUSY", reason: "another portico process holds it" })
      const acquire = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const outcome = yield* Effect.tryPromise({
          try: () => attempt(path, own, now),
          catch: (cause) => problemOf(path, cause)
        })
        if (outcome === "held") return true
        return yield* now - begun > patienceMillis ? Effect.fail(busy) : Effect.succeed(false)
      }).pipe(Effect.repeat({ until: (held) => held, schedule: Schedule.spaced("25 millis") }))
      const release = Effect.promise(async () => {
        if ((await read(path))?.nonce === own.nonce) await rm(path, { force: true }).catch(() => undefined)
      })
      return yield* Effect.acquireUseRelease(
        Effect.interruptible(Effect.catchIf(acquire, isUnwritable, () => Effect.void)),
        () => work,
        () => release
      )
    })

const isUnwritable = ({ code }: FileProblem): boolean => ["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"].includes(code)
