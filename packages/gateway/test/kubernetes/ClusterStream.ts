import { Effect } from "effect"
import { once } from "node:events"
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { Cast } from "../harness/Cast.ts"
import { eventually, planeOf } from "./ClusterTap.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** An answer that is still coming. */
export interface Stream {
  readonly status: number
  /** What has come so far. */
  readonly text: () => string
  /** How it ended, once it has. */
  readonly over: () => "ended" | "broken" | undefined
  readonly hangUp: Effect.Effect<void>
  /** Reads no more. */
  readonly pause: Effect.Effect<void>
}

/** Begins a call, by acme's tier 2 unless somebody else is named; returns with the head of the answer. */
export const streamed = Effect.fnUntraced(function* (path: string, token?: string) {
  const { acme } = yield* Cast
  const { url } = yield* TestGateway
  return yield* Effect.callback<Stream>((resume) => {
    const headers = { authorization: `Bearer ${token ?? acme.tokens[2]}` }
    const outgoing = request(`${url[planeOf(token)]}/v1/kubernetes${path}`, { agent: false, headers })
    outgoing.on("response", (answer) => {
      let text = ""
      let over: "ended" | "broken" | undefined
      answer.setEncoding("utf8").on("data", (_) => (text += _))
      answer.once("end", () => (over ??= "ended"))
      answer.once("error", () => (over ??= "broken"))
      resume(
        Effect.succeed({
          status: answer.statusCode ?? 0,
          text: () => text,
          over: () => over,
          hangUp: Effect.sync(() => void outgoing.destroy()),
          pause: Effect.sync(() => void answer.pause())
        })
      )
    })
    outgoing.on("error", () => {})
    outgoing.end()
    return Effect.sync(() => void outgoing.destroy())
  })
})

/** Waits until so many lines have come, at most two seconds. */
export const lines = (stream: Stream, count: number): Effect.Effect<ReadonlyArray<string>> =>
  eventually(
    Effect.suspend(() => {
      const found = stream.text().split("\n").slice(0, -1)
      return found.length >= count ? Effect.succeed(found) : Effect.die(`${found.length} of ${count} lines came`)
    })
  )

/** A connection that is HTTP no more, or was to be. */
export interface Raw {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly socket: Socket
  /** What came behind the head so far. */
  readonly body: () => Buffer
  readonly over: () => "ended" | "broken" | undefined
}

export interface Dialled {
  readonly method?: string
  readonly protocol?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent with the request, before any answer. */
  readonly early?: Buffer
}

/** Asks for another protocol, by acme's tier 2 unless somebody else is named. */
export const dialled = Effect.fnUntraced(function* (path: string, options: Dialled = {}) {
  const socket = yield* calling(path, options)
  const raw = yield* Effect.promise(async () => {
    let received = Buffer.alloc(0)
    let over: Raw["over"] extends () => infer O ? O : never
    let at = -1
    socket.once("end", () => (over ??= "ended"))
    socket.once("error", () => (over ??= "broken"))
    socket.once("close", () => (over ??= "broken"))
    socket.on("data", (_: Buffer) => (received = Buffer.concat([received, _])))
    while (at < 0) {
      if (over !== undefined) return undefined
      await Promise.race([once(socket, "data"), once(socket, "close")])
      at = received.indexOf("\r\n\r\n")
    }
    const [first = "", ...fields] = received.subarray(0, at).toString("latin1").split("\r\n")
    return {
      status: Number(first.split(" ")[1]),
      headers: Object.fromEntries(
        fields.map((_) => [_.split(": ", 1)[0]!.toLowerCase(), _.slice(_.indexOf(": ") + 2)])
      ),
      socket,
      body: () => received.subarray(at + 4),
      over: () => over
    } satisfies Raw
  })
  return raw ?? (yield* Effect.die(`${path} was not answered`))
})

/** The same, without waiting for an answer. */
export const calling = Effect.fnUntraced(function* (path: string, options: Dialled = {}) {
  const { acme } = yield* Cast
  const { early, headers = {}, method = "GET", protocol = "websocket", token = acme.tokens[2] } = options
  const { hostname, port } = new URL((yield* TestGateway).url[planeOf(token)])
  const all = {
    Host: "cluster",
    Authorization: `Bearer ${token}`,
    Connection: "Upgrade",
    Upgrade: protocol,
    ...(protocol === "websocket" ? handshake : {}),
    ...headers
  }
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on("error", () => {})
  socket.write(`${method} /v1/kubernetes${path} HTTP/1.1\r\n${fields.join("")}\r\n`)
  if (early !== undefined) socket.write(early)
  return socket
})

/** RFC 6455, section 1.3: the key, and what a server makes of it. */
const handshake = { "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" }
export const accepted = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

/** Frames of a WebSocket from the server, which are not masked; none here is longer than 65,535 bytes. */
export const framesIn = (bytes: Buffer): ReadonlyArray<Buffer> => {
  const frames: Array<Buffer> = []
  for (let at = 0; at + 1 < bytes.length;) {
    const short = (bytes[at + 1] ?? 0) & 0x7f
    const from = short === 126 ? at + 4 : at + 2
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short
    frames.push(bytes.subarray(from, from + length))
    at = from + length
  }
  return frames
}

/** A short binary frame to the server, masked with zeros: which mask does not matter. */
export const frameOf = (channel: number, text: string): Buffer => {
  const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(text)])
  return Buffer.concat([Buffer.from([0x82, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}
