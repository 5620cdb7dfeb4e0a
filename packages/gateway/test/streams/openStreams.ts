import { auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { Context, DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { settle } from "@portico/testing/clock"
import { cluster, ClusterTap } from "../kubernetes/ClusterTap.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** What a client has open. */
export interface Open {
  readonly name: string
  readonly status: () => number
  /** What came so far. */
  readonly text: () => string
  /** Whether it has ended by now. */
  readonly isOver: Effect.Effect<boolean>
  readonly close: () => void
}

/** A kind of call that goes on. */
export interface Kind {
  /** The tier that it needs. */
  readonly tier: 0 | 1
  /** What a policy denies it by. */
  readonly area: string
  /** Whether it is refused in a tenant that is being closed. */
  readonly writes: boolean
  open(url: string, token: string, projectId: string): Effect.Effect<Open>
}

const tick = Duration.millis(200)

/** Something without an end: `/v2/endless` gives and takes for ever. */
export class Endless extends Context.Service<Endless, { readonly url: string }>()("portico/gateway/test/Endless") {
  static readonly layer = Layer.effect(
    Endless,
    Effect.gen(function* () {
      const every = yield* everyTick
      const server = createServer({ requestTimeout: 0 }, (from, to) => {
        if (from.method === "GET") dribble(every)(from, to)
        else from.resume()
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () =>
          Effect.callback<void>((resume) => {
            server.close(() => resume(Effect.void))
            server.closeAllConnections()
          })
      )
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    })
  )
}

type Every = (act: () => void) => () => void

/** Does something again and again by the clock of the story, until it is stopped. */
const everyTick: Effect.Effect<Every> = Effect.map(Effect.context<never>(), (context) => (act) => {
  // oxlint-disable-next-line live/waits -- the clock of the story, which is a test's but for real replicas
  const fiber = Effect.runForkWith(context)(Effect.repeat(Effect.sync(act), Schedule.spaced(tick)))
  return () => fiber.interruptUnsafe()
})

const dribble =
  (every: Every) =>
  (_: IncomingMessage, to: ServerResponse): void => {
    to.writeHead(200, { "content-type": "application/octet-stream" })
    to.once(
      "close",
      every(() => to.write("."))
    )
  }

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

/** A server's short text frame of a WebSocket. */
const frame = Buffer.from([0x81, 1, 0x2e])

const chatter =
  (every: Every) =>
  (_: IncomingMessage, socket: Duplex): void => {
    socket.write(switching)
    const stop = every(() => socket.write(frame))
    socket.once("close", stop).resume()
  }

/** From now on whatever a tenant asks of pods goes on for ever. */
export const endlessCluster = Effect.gen(function* () {
  const tap = yield* ClusterTap
  const every = yield* everyTick
  yield* tap.script((from, to, pass) => (from.url?.includes("/pods") === true ? dribble(every) : pass)(from, to))
  yield* tap.scriptUpgrade(chatter(every))
})

/** The tenant's namespace, which its first write makes. */
export const withNamespace = Effect.fnUntraced(function* (token: string, projectId: string) {
  const path = `/api/v1/namespaces/db-${projectId}/configmaps`
  yield* cluster("POST", path, { token, body: { metadata: { name: `first-${randomUUID()}` } } })
})

/** Records whose export takes a slow client minutes. */
export const longAudit = Effect.fnUntraced(function* (projectId: string, count = 700) {
  const log = yield* EventLog
  const route = `/${"x".repeat(16_000)}`
  const at = DateTime.makeUnsafe(1_700_000_000_000)
  const rows = Array.from({ length: count }, () => {
    const id = randomUUID()
    const data = {
      method: "GET",
      route,
      status: 200,
      resources: [],
      parameters: [],
      fields: null,
      user_id: null,
      credential_id: null,
      tier: null,
      source: null,
      request_id: id
    }
    const envelope = {
      id,
      topic: auditTopic,
      kind: "api.call",
      at: DateTime.formatIso(at),
      key: id,
      project_id: projectId,
      data
    }
    return { id, topic: auditTopic, key: id, at, envelope }
  })
  yield* log.append(rows)
})

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** What is sent of the body, again and again. */
  readonly piece?: string
}

const opened = (name: string, url: string, token: string, sent: Sent) =>
  Effect.flatMap(everyTick, (every) => openedWith(every, name, url, token, sent))

const openedWith = (
  every: Every,
  name: string,
  url: string,
  token: string,
  { headers = {}, method = "GET", path, piece }: Sent
) =>
  Effect.callback<Open & { readonly socket: Socket }>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    let text = ""
    let over = false
    socket.on("data", (_: Buffer) => {
      const piece = _.toString("latin1")
      text += piece
      // The last chunk: the connection may serve another request.
      if (piece.endsWith("\r\n0\r\n\r\n") || piece === "0\r\n\r\n") over = true
    })
    for (const event of ["end", "error", "close"]) socket.on(event, () => (over = true))
    const all = { Host: "gateway", Authorization: `Bearer ${token}`, ...headers }
    const fields = Object.entries(all).map(([field, value]) => `${field}: ${value}\r\n`)
    socket.write(`${method} ${path} HTTP/1.1\r\n${fields.join("")}\r\n`)
    const stop = piece === undefined ? () => {} : every(() => void (over || socket.write(piece)))
    const open = {
      name,
      socket,
      status: () => Number(text.split(" ")[1]),
      text: () => text,
      isOver: Effect.sync(() => over),
      close: () => {
        stop()
        socket.destroy()
      }
    }
    // An upload is under way before it is answered.
    if (piece !== undefined) return resume(Effect.as(settle, open))
    socket.once("data", () => resume(Effect.succeed(open)))
    socket.once("close", () => resume(Effect.succeed(open)))
  })

const upload = { "Content-Length": "1000000", "Content-Type": "application/octet-stream" }
const json = { "Content-Length": "1000", "Content-Type": "application/json" }
const handshake = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  // Without one that it knows, the API server answers 403.
  "Sec-WebSocket-Protocol": "v4.channel.k8s.io",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="
}

const pod = (projectId: string) => `/v1/kubernetes/api/v1/namespaces/db-${projectId}/pods/web`

const upgraded = (name: string, below: string): Kind => ({
  tier: 1,
  area: "kubernetes",
  writes: true,
  open: (url, token, projectId) => opened(name, url, token, { path: `${pod(projectId)}/${below}`, headers: handshake })
})

const plain = (
  area: string,
  tier: 0 | 1,
  name: string,
  sent: (projectId: string) => Sent,
  writes = tier > 0
): readonly [string, Kind] => [
  name,
  { tier, area, writes, open: (url, token, projectId) => opened(name, url, token, sent(projectId)) }
]

/** Its client takes a little and then nothing, until it is asked whether the export is over: then it takes the rest. */
const auditExport: Kind = {
  tier: 0,
  area: "audit",
  writes: false,
  open: (url, token) =>
    Effect.map(opened("GET /v1/audit/export", url, token, { path: "/v1/audit/export" }), (open) => {
      open.socket.pause()
      return {
        ...open,
        isOver: Effect.callback<boolean>((resume) => {
          let last = ""
          const done = () => resume(Effect.succeed(!last.includes('"complete":true')))
          open.socket.once("close", done)
          open.socket.on("data", (_: Buffer) => {
            last = `${last.slice(-300)}${_.subarray(-300).toString("latin1")}`
            if (last.includes('"end":true')) done()
          })
          open.socket.resume()
        })
      }
    })
}

/** Each kind of call that goes on, by name. Streams of first-class routes are named by their method and path. */
export const kinds: Readonly<Record<string, Kind>> = {
  "GET /v1/audit/export": auditExport,
  ...Object.fromEntries([
    plain("events", 0, "GET /v1/events/tail", () => ({ path: "/v1/events/tail" })),
    plain("kubernetes", 0, "a watch", (_) => ({ path: `${pod(_).replace(/\/web$/, "")}?watch=1` })),
    plain("kubernetes", 0, "a followed log", (_) => ({ path: `${pod(_)}/log?follow=1` })),
    plain("kubernetes", 0, "a long answer of the cluster", (_) => ({ path: `${pod(_)}` })),
    plain("kubernetes", 1, "proxy", (_) => ({ path: `${pod(_)}/proxy/x` })),
    plain("kubernetes", 1, "an upload to the cluster", (_) => ({
      method: "PUT",
      path: pod(_),
      headers: { ...upload, "Content-Type": "application/json" },
      piece: " "
    })),
    plain("dns", 0, "a download", () => ({ path: "/v1/iaas/dns/endless" })),
    plain("dns", 1, "an upload", () => ({ method: "PUT", path: "/v1/iaas/dns/endless", headers: upload, piece: "x" })),
    plain("image", 1, "an upload that a rule reads", () => ({
      method: "POST",
      path: "/v1/iaas/image/images",
      headers: json,
      piece: " "
    })),
    plain("alarms", 1, "the body of a first-class call", () => ({
      method: "POST",
      path: "/v1/alarms",
      headers: json,
      piece: " "
    }))
  ]),
  exec: upgraded("exec", "exec?command=cat&stdin=1"),
  attach: upgraded("attach", "attach?stdin=1"),
  portforward: upgraded("portforward", "portforward?ports=80"),
  "proxy, upgraded": upgraded("proxy, upgraded", "proxy/ws")
}

/** Opens one of each kind. */
export const openAll = Effect.fnUntraced(function* (token: string, projectId: string) {
  const { url } = yield* TestGateway
  return yield* Effect.forEach(
    Object.entries(kinds),
    ([name, kind]) =>
      Effect.acquireRelease(
        Effect.map(kind.open(url.customer, token, projectId), (open) => ({ ...open, name })),
        ({ close }) => Effect.sync(close)
      ),
    { concurrency: "unbounded" }
  )
})

/** The names of those that have ended. */
export const overOf = (open: ReadonlyArray<Open>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.forEach(open, (_) => _.isOver, { concurrency: "unbounded" }),
    (over) => open.filter((_, i) => over[i]).map((_) => _.name)
  )
