import { Context, Deferred, Effect, Layer } from "effect"
import { createServer, type AddressInfo, type Socket } from "node:net"

/** A connection that the gateway opened, with the one request that it brings. */
export interface Received {
  readonly socket: Socket
  /** What came so far: the head, and of the body what is there. */
  text(): string
  /** Once so much came. */
  has(text: string): Effect.Effect<void>
  /** Once the gateway let go of it. */
  readonly gone: Effect.Effect<void>
}

/**
 * A service that speaks no protocol of its own: a test reads and writes the
 * bytes, and says when and how connections end. Every request has a connection
 * to itself, and is known by its path.
 */
export class RawUpstream extends Context.Service<
  RawUpstream,
  {
    readonly url: string
    /** The request for a path with `/held-` in it, once its head is there. It is told of once. */
    received(path: string): Effect.Effect<Received>
    /** What is done with requests for another path from now on; otherwise they are answered with {@link fine}. */
    script(path: string, reply: (socket: Socket) => void): Effect.Effect<void>
    /** Connections that are open. */
    readonly open: Effect.Effect<number>
    /** Heads that ever came. */
    readonly heads: Effect.Effect<number>
  }
>()("portico/gateway/test/RawUpstream") {
  static readonly layer = Layer.effect(
    RawUpstream,
    Effect.gen(function* () {
      const sockets = new Set<Socket>()
      const held = new Map<string, Deferred.Deferred<Received>>()
      const hold = (path: string) => {
        const found = held.get(path) ?? Deferred.makeUnsafe<Received>()
        held.set(path, found)
        return found
      }
      const scripts = new Map<string, (socket: Socket) => void>()
      let heads = 0

      const server = createServer((socket) => {
        sockets.add(socket)
        const received = receivedOn(socket)
        socket.on("error", () => {})
        socket.once("close", () => sockets.delete(socket))
        const look = () => {
          const path = /^\w+ (\S+) HTTP\/1\.1\r\n[^]*?\r\n\r\n/.exec(received.text())?.[1]
          if (path === undefined) return
          socket.off("data", look)
          heads += 1
          if (path.includes("/held-")) Deferred.doneUnsafe(hold(path), Effect.succeed(received))
          else (scripts.get(path) ?? answerFine)(socket)
        }
        socket.on("data", look)
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () =>
          Effect.callback<void>((resume) => {
            server.close(() => resume(Effect.void))
            for (const socket of sockets) socket.destroy()
          })
      )
      const address: string | AddressInfo | null = server.address()
      return RawUpstream.of({
        url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
        received: (path) =>
          Effect.tap(
            Effect.suspend(() => Deferred.await(hold(path))),
            () => Effect.sync(() => void held.delete(path))
          ),
        script: (path, reply) => Effect.sync(() => void scripts.set(path, reply)),
        open: Effect.sync(() => sockets.size),
        heads: Effect.sync(() => heads)
      })
    })
  )
}

/** An answer without any difficulty, after which the connection ends. */
export const fine = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine"

const answerFine = (socket: Socket): void => void socket.end(fine)

const receivedOn = (socket: Socket): Received => {
  let text = ""
  socket.on("data", (piece: Buffer) => void (text += piece.toString("latin1")))
  return {
    socket,
    text: () => text,
    has: (wanted) =>
      Effect.callback((resume) => {
        const look = () => {
          if (!text.includes(wanted)) return
          socket.off("data", look)
          resume(Effect.void)
        }
        socket.on("data", look)
        look()
      }),
    gone: Effect.callback((resume) => {
      if (socket.closed) return resume(Effect.void)
      socket.once("close", () => resume(Effect.void))
    })
  }
}
