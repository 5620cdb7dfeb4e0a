import { Effect } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { connect, createServer, type Server, type Socket } from "node:net"

/** Whether there is a Redis to start on this machine. */
export const isInstalled = spawnSync("redis-server", ["--version"]).status === 0

const listening = (server: Server, port = 0) =>
  Effect.callback<number>((resume) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A port that is free, or was a moment ago. */
export const freePort = Effect.gen(function* () {
  const server = createServer()
  const port = yield* listening(server)
  yield* Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  return port
})

/** A real Redis on a port, which can be killed and started again; it forgets everything then. */
export const redisOn = Effect.fnUntraced(function* (port: number) {
  let running: ChildProcess | undefined
  const kill = Effect.callback<void>((resume) => {
    if (running === undefined || running.exitCode !== null) return resume(Effect.void)
    running.once("exit", () => resume(Effect.void))
    running.kill("SIGKILL")
    running = undefined
  })
  const start = Effect.callback<void>((resume) => {
    const started = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/"], {
      stdio: ["ignore", "pipe", "ignore"]
    })
    running = started
    started.stdout?.on("data", (piece: Buffer) => {
      if (piece.includes("Ready to accept connections")) resume(Effect.void)
    })
    started.once("exit", (code) => resume(Effect.die(new Error(`redis-server ended with ${code}`))))
  })
  yield* Effect.acquireRelease(start, () => kill)
  return { kill, start, url: `redis://127.0.0.1:${port}` }
})

/** A way to a port on which bytes can be made to wait: connections stay open, and nothing comes through. */
export const wayTo = Effect.fnUntraced(function* (port: number) {
  const open = new Set<Socket>()
  let delay = 0
  const pass = (piece: Buffer, to: Socket) => {
    if (delay === Number.POSITIVE_INFINITY) return
    if (delay === 0) to.write(piece)
    else setTimeout(() => to.write(piece), delay)
  }
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1")
    for (const [one, other] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      open.add(one)
      one.on("data", (piece: Buffer) => pass(piece, other))
      one.on("error", () => {})
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  const own = yield* listening(server)
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const socket of open) socket.destroy()
    })
  )
  return {
    url: `redis://127.0.0.1:${own}`,
    /** @param milliseconds for each piece in each direction; without, for ever */
    slow: (milliseconds = Number.POSITIVE_INFINITY) =>
      Effect.sync(() => {
        delay = milliseconds
      })
  }
})

/** How many commands it has had. */
export const commandsOf = (url: string) =>
  Effect.callback<number>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let text = ""
    socket.on("data", (piece: Buffer) => {
      text += piece.toString()
      const found = /total_commands_processed:(\d+)/.exec(text)?.[1]
      if (found === undefined) return
      socket.destroy()
      resume(Effect.succeed(Number(found)))
    })
    socket.write("INFO stats\r\n")
  })

/** What Redis answers a command of an administrator, as it is on the wire. */
export const commanded = (url: string, ...words: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let text = ""
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
    })
    socket.once("end", () => resume(Effect.succeed(text.slice(0, -"+OK\r\n".length))))
    socket.write(`${words.join(" ")}\r\nQUIT\r\n`)
  })
