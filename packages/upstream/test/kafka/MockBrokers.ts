import { Effect } from "effect"
import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { promisify } from "node:util"

/** Whether `kcat` is installed here: with it comes a cluster that speaks the protocol and keeps its messages in memory. */
export const isHere: boolean = spawnSync("kcat", ["-V"]).status === 0

/** The name that tests have without it, so that nobody takes them for passed. */
export const named = (title: string): string => (isHere ? title : `${title}: NOT RUN, kcat IS NOT INSTALLED`)

const run = promisify(execFile)

interface Cluster {
  /** `host:port` each, separated by commas. */
  readonly brokers: string
  /** Makes topics: these brokers make them when somebody asks for them, and on no other occasion. */
  make(...topics: ReadonlyArray<string>): Effect.Effect<void>
  /** All messages of a topic, of each partition in order: key, headers and value. */
  read(topic: string): Effect.Effect<ReadonlyArray<Kept>>
  write(topic: string, key: string, ...values: ReadonlyArray<string>): Effect.Effect<void>
  /** Connections stay, and nothing answers. */
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
  /** Suddenly; what they have kept is gone. */
  readonly kill: Effect.Effect<void>
}

export interface Kept {
  readonly partition: number
  readonly key: string
  readonly headers: string
  readonly value: string
}

/** Brokers on free ports, for as long as the scope. */
export const mockBrokers = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const args = ["-P", "-b", "nobody:1", "-t", "keep", "-X", "test.mock.num.brokers=3", "-d", "mock"]
      // They live for as long as there may be something to produce.
      return spawn("kcat", args, { stdio: ["pipe", "ignore", "pipe"] })
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const brokers = yield* Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        let said = ""
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          said += text
          const found = /bootstrap\.servers=(\S+)/.exec(said)?.[1]
          if (found !== undefined) resolve(found)
          // Of the rest there is a lot.
          if (found !== undefined) said = ""
        })
      })
  )
  const kcat = (...args: ReadonlyArray<string>) =>
    Effect.map(
      Effect.promise(() => run("kcat", ["-b", brokers, ...args], { maxBuffer: 64 * 1024 * 1024 })),
      (_) => _.stdout
    )
  const kill = Effect.promise(async () => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  })

  return {
    brokers,
    make: (...topics) => Effect.forEach(topics, (topic) => kcat("-L", "-t", topic), { discard: true }),
    read: Effect.fnUntraced(function* (topic) {
      const lines = yield* kcat("-C", "-t", topic, "-o", "beginning", "-e", "-q", "-f", "%p\t%k\t%h\t%s\n")
      const kept = lines
        .split("\n")
        .slice(0, -1)
        .map((line) => {
          const [partition = "", key = "", headers = "", value = ""] = line.split("\t")
          return { partition: Number(partition), key, headers, value }
        })
      return kept.toSorted((a, b) => a.partition - b.partition)
    }),
    write: (topic, key, ...values) =>
      Effect.promise(async () => {
        const writer = spawn("kcat", ["-P", "-b", brokers, "-t", topic, "-k", key], {
          stdio: ["pipe", "ignore", "ignore"]
        })
        const ended = once(writer, "exit")
        writer.stdin.end(values.map((_) => `${_}\n`).join(""))
        await ended
      }),
    freeze: Effect.sync(() => void child.kill("SIGSTOP")),
    thaw: Effect.sync(() => void child.kill("SIGCONT")),
    kill
  } satisfies Cluster
})

/** An address that stays while the brokers behind it come and go, as the name of a cluster does. */
export const address = Effect.gen(function* () {
  let behind: string | undefined
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on("error", () => {}).on("close", () => open.delete(socket)))
    const [host = "", port = ""] = behind?.split(",")[0]?.split(":") ?? []
    if (behind === undefined) return void socket.destroy()
    const broker = connect(Number(port), host).on("error", () => socket.destroy())
    socket.pipe(broker).pipe(socket)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () =>
      Effect.sync(() => {
        for (const socket of open) socket.destroy()
        server.close()
      })
  )
  const at = server.address()
  return {
    brokers: `127.0.0.1:${typeof at === "object" && at !== null ? at.port : 0}`,
    lead: (to: string | undefined) =>
      Effect.sync(() => {
        behind = to
        for (const socket of open) socket.destroy()
      })
  }
})
