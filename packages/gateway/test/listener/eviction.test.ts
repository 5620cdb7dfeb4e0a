import { assert, it } from "@effect/vitest"
import { Connections } from "@portico/gateway/connections/Connections"
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { afterEach, vi } from "vitest"

const limits = { connections: 1, heldBytes: 1_000_000, stall: 30_000, idle: 60_000, head: 60_000, lastIdle: 60_000 }

afterEach(() => void vi.restoreAllMocks())

/** A connection with an answer under way, of which so many bytes wait, so many milliseconds ago; and a new one. */
const played = (bytes: number, milliseconds: number) => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1_000)
  const connections = new Connections(limits)
  const first = new Socket().on("error", () => {})
  connections.accepted(first, false)
  connections.began(first, new ServerResponse(new IncomingMessage(first)))
  Object.defineProperty(first, "writableLength", { value: bytes })
  now.mockReturnValue(1_000 + milliseconds)
  const second = new Socket().on("error", () => {})
  connections.accepted(second, false)
  const outcome = { evicted: first.destroyed, refused: connections.refused }
  for (const socket of [first, second]) socket.destroy()
  return outcome
}

it("a client that reads nothing for two seconds is evicted, with any amount pending", () => {
  for (const bytes of [1, 1_000, 100_000]) {
    assert.deepStrictEqual(played(bytes, 2_000), { evicted: true, refused: 0 }, String(bytes))
  }
})

it("a client without pending bytes, or with short waits, stays", () => {
  assert.deepStrictEqual(played(0, 60_000), { evicted: false, refused: 1 })
  assert.deepStrictEqual(played(1_000, 1_999), { evicted: false, refused: 1 })
})

/** Requests whose bodies are awaited, each a second after the one before; and a new connection so much later. */
const awaited = (count: number, milliseconds: number, complete: ReadonlyArray<number> = []) => {
  const now = vi.spyOn(performance, "now")
  const connections = new Connections({ ...limits, connections: count })
  const sockets = Array.from({ length: count }, (_, index) => {
    now.mockReturnValue(1_000 * (index + 1))
    const socket = new Socket().on("error", () => {})
    connections.accepted(socket, false)
    const request = new IncomingMessage(socket)
    const connection = connections.began(socket, new ServerResponse(request))
    if (connection === undefined) return assert.fail("no connection")
    connections.awaits(connection, request)
    request.complete = complete.includes(index)
    return socket
  })
  now.mockReturnValue(1_000 * count + milliseconds)
  const next = new Socket().on("error", () => {})
  connections.accepted(next, false)
  const outcome = { evicted: sockets.map((_) => _.destroyed), refused: connections.refused }
  for (const socket of [...sockets, next]) socket.destroy()
  return outcome
}

it("the longest awaited body is evicted after two seconds, and none before", () => {
  assert.deepStrictEqual(awaited(1, 1_999), { evicted: [false], refused: 1 })
  assert.deepStrictEqual(awaited(1, 2_000), { evicted: [true], refused: 0 })
  assert.deepStrictEqual(awaited(3, 2_000), { evicted: [true, false, false], refused: 0 })
})

it("a request with its body complete stays, and the next waiting one is evicted", () => {
  assert.deepStrictEqual(awaited(3, 2_000, [0]), { evicted: [false, true, false], refused: 0 })
  assert.deepStrictEqual(awaited(2, 60_000, [0, 1]), { evicted: [false, false], refused: 1 })
})
