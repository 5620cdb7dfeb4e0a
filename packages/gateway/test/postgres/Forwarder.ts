import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"

/**
 * An address that moves: what connects to it reaches the port that it leads to now. It stands for the floating IP, the
 * DNS name or the load balancer in front of a primary and its replicas.
 */
export const forwarder = Effect.fnUntraced(function* (first: number) {
  let target = first
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1")
    const pair = [
      [client, upstream],
      [upstream, client]
    ] as const
    for (const [from, to] of pair) {
      open.add(from)
      from.on("data", (_) => to.write(_))
      from.on("error", () => {})
      from.on("close", () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  const port = yield* Effect.callback<number>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const socket of open) socket.destroy()
    })
  )
  return {
    url: (database: string) => `postgres://portico@127.0.0.1:${port}/${database}`,
    /** From here on it leads to this port, and connections to the former one are cut. */
    move: (port: number) =>
      Effect.sync(() => {
        target = port
        for (const socket of open) socket.destroy()
      })
  }
})
