import { Duration, Effect, Exit } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

/** The top of the repository. */
export const repository = join(import.meta.dirname, "../../../..")

/** A process that a test started, and what it has said so far. */
export interface Child {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Its exit code, or the signal that ended it, once it has ended. */
  readonly ended: Effect.Effect<number | NodeJS.Signals>
  /** To the process, or to its whole group as a terminal does it. */
  signal(name: NodeJS.Signals, to?: "process" | "group"): Effect.Effect<void>
}

export interface Command {
  readonly command: ReadonlyArray<string>
  readonly settings: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A group of its own, so that what it leaves behind can be seen and is killed with it. */
  readonly group?: boolean
  readonly uid?: number
}

const running = new Set<() => void>()

// A test run that is cut short closes no scope.
process.once("exit", () => {
  for (const kill of running) kill()
})

/** What one process has compiled, the next ones need not: there are hundreds of them. */
const compiled = join(repository, "node_modules/.cache/node")

/** Starts a process that gets these settings and no others, and is killed when the scope closes. */
export const spawned = Effect.fnUntraced(function* ({ command, cwd, group = false, settings, uid }: Command) {
  const [file = "", ...args] = command
  const { child } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(file, args, {
        cwd: cwd ?? repository,
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], NODE_COMPILE_CACHE: compiled, ...settings },
        stdio: ["ignore", "pipe", "pipe"],
        detached: group,
        ...(uid === undefined ? {} : { uid, gid: uid })
      })
      const kill = () => send(group ? -pidOf(child) : pidOf(child), "SIGKILL")
      running.add(kill)
      return { child, kill }
    }),
    ({ child, kill }) =>
      Effect.promise(async () => {
        kill()
        running.delete(kill)
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
      })
  )
  const said = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text
    })
  }
  // After the last word, not only after the end.
  const closed = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? "SIGKILL"))
  })
  return {
    pid: pidOf(child),
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended: Effect.promise(() => closed),
    signal: (name, to = "process") => Effect.sync(() => send(to === "group" ? -pidOf(child) : pidOf(child), name))
  } satisfies Child
})

const pidOf = (child: ChildProcess): number => {
  if (child.pid === undefined) throw new Error(`cannot start ${child.spawnfile}`)
  return child.pid
}

/** Nobody there is fine: it has ended by itself. */
const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

/** Half of the time for which a replica keeps a record (`Records`): until then only a notification can end it there. */
export const heard = "30 seconds"

/**
 * Looks again and again until the look succeeds, and fails as the last one did
 * when it never does. It looks ever less often: what is waited for needs the
 * processor.
 *
 * @param within shorter only where something else would make it so later
 */
export const eventually = Effect.fnUntraced(function* <A, E, R>(
  look: Effect.Effect<A, E, R>,
  within: Duration.Input = "300 seconds"
) {
  const deadline = performance.now() + Duration.toMillis(within)
  for (let pause = 20; ; pause = Math.min(pause * 1.5, 250)) {
    const exit = yield* Effect.exit(look)
    if (Exit.isSuccess(exit) || performance.now() > deadline) return yield* exit
    yield* Effect.sleep(pause)
  }
})

/** The first line of standard output, as JSON. Fails with all that the process said when it ends before. */
export const firstLine = Effect.fnUntraced(function* (child: Child) {
  const line = eventually(
    Effect.gen(function* () {
      const [line, rest] = child.stdout().split("\n")
      return yield* rest === undefined ? Effect.fail(`it has said nothing: ${child.stderr()}`) : Effect.succeed(line)
    })
  )
  const died = Effect.flatMap(child.ended, (code) => Effect.die(`it ended with ${code}: ${child.stderr()}`))
  return JSON.parse((yield* Effect.orDie(Effect.raceFirst(line, died))) ?? "") as Readonly<Record<string, string>>
})
