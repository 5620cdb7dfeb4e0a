import { Effect } from "effect"
import { connect, type Socket } from "node:net"

/** A client that writes bytes, and may hang up at any moment. */
export interface RawClient {
  readonly socket: Socket
  /** Done when the bytes are on their way. */
  send(bytes: Buffer | string): Effect.Effect<void>
  /** What was answered so far; Latin-1. */
  text(): string
  /** Once that was answered. */
  has(text: string): Effect.Effect<void>
  /** In one of the ways there are, by turns. */
  hangUp(index: number): void
}

/** It closes, it crashes, or it says that it sends nothing more, which only a client that still reads can. */
const waysToGo: ReadonlyArray<(socket: Socket) => void> = [
  (_) => void _.destroy(),
  (_) => void _.resetAndDestroy(),
  (_) => void _.end()
]

/** @param url whom to talk to */
export const rawClient = (url: string): Effect.Effect<RawClient> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let text = ""
    socket.on("data", (piece: Buffer) => void (text += piece.toString("latin1")))
    socket.on("error", () => {})
    const client: RawClient = {
      socket,
      send: (bytes) => Effect.callback((resume) => void socket.write(bytes, () => resume(Effect.void))),
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
      hangUp: (index) => waysToGo[index % waysToGo.length]?.(socket)
    }
    socket.once("connect", () => resume(Effect.succeed(client)))
  })
