import { Deferred, Effect, FileSystem, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { createServer } from "node:net"
import { join } from "node:path"

/** The top of the repository. */
export const root = join(import.meta.dirname, "../../..")

export class ProcessFailed extends Schema.TaggedError<ProcessFailed>()("ProcessFailed", {
  program: Schema.String,
  what: Schema.String,
  said: Schema.String
}) {
  override get message() {
    return `${this.program} ${this.what}. It said:\n${this.said}`
  }
}

export interface Program {
  /** How messages name it. */
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Held on these CPUs, as `taskset -c` spells them. */
  readonly cpus?: string | undefined
}

/** A program on this Node; a path below the top of the repository. */
export const onNode = (program: string, args: ReadonlyArray<string> = [], flags: ReadonlyArray<string> = []) => ({
  command: process.execPath,
  args: [...flags, join(root, program), ...args]
})

const spawned = ({ args, command, cpus, env = {} }: Program) => {
  const [first, rest] = cpus === undefined ? [command, args] : ["taskset", ["-c", cpus, command, ...args]]
  return ChildProcess.make(first, rest, {
    cwd: root,
    env: { NODE_ENV: "production", ...env },
    extendEnv: true,
    stdin: "ignore",
    forceKillAfter: "30 seconds"
  })
}

export interface Running<A> {
  readonly pid: number
  /** What `found` made of its output. */
  readonly up: A
  /** The end of what it said so far. */
  readonly said: () => string
}

/** Runs a program while the scope is open, as soon as `found` makes something of its output. */
export const running = Effect.fnUntraced(function* <A>(program: Program, found: (said: string) => A | undefined) {
  const child = yield* spawned(program)
  const up = yield* Deferred.make<A, ProcessFailed>()
  let said = ""
  const failed = () => new ProcessFailed({ program: program.name, what: "did not say where it listens", said })
  // Heard to the end, or a full pipe would stop the program.
  yield* child.all.pipe(
    Stream.decodeText(),
    Stream.runForEach((text) => {
      said = `${said}${text}`.slice(-10_000)
      const value = found(said)
      return value === undefined ? Effect.void : Deferred.succeed(up, value)
    }),
    Effect.ignore,
    Effect.andThen(Effect.suspend(() => Deferred.fail(up, failed()))),
    Effect.forkScoped
  )
  const value = yield* Effect.timeoutOrElse(Deferred.await(up), { duration: "90 seconds", orElse: failed })
  return { pid: child.pid, up: value, said: () => said } satisfies Running<A>
})

/** The address in a line that the programs of the benchmark write when they listen. */
export const urlIn = (said: string): string | undefined => /"url":"(http:[^"]+)"/.exec(said)?.[1]

/** Runs a program to its end and answers what it wrote; one that ends badly is a failure. */
export const outputOf = Effect.fnUntraced(function* (program: Program) {
  const child = yield* spawned(program)
  const said = yield* Stream.mkString(Stream.decodeText(child.all))
  const code = yield* child.exitCode
  if (code === 0) return said
  return yield* new ProcessFailed({ program: program.name, what: `ended with ${code}`, said })
}, Effect.scoped)

/** Where a program is installed; undefined when it is not. */
export const installed = Effect.fnUntraced(function* (program: string) {
  const fs = yield* FileSystem.FileSystem
  // Debian keeps servers where the path of an ordinary user does not lead.
  const directories = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"]
  for (const directory of directories) {
    const path = join(directory, program)
    if (yield* Effect.orElseSucceed(fs.exists(path), () => false)) return path
  }
  return undefined
})

/** A port of this machine on which nothing listens. */
export const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
