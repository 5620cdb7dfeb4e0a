import { BadGateway } from "@portico/contract/Failures"
import type { Source } from "@portico/domain/access/networks"
import type { Plane } from "@portico/domain/health/readiness"
import { Effect } from "effect"
import { type ClientRequest, type IncomingMessage, request as plain, STATUS_CODES } from "node:http"
import { request as encrypted } from "node:https"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { AuditDraft } from "../../audit/AuditDraft.ts"
import type { Meter } from "../../limits/Meter.ts"
import { type OpenCall, reasonOf } from "../../streams/OpenCall.ts"
import { closingFrame, Frames } from "./frames.ts"

/** A request whose connection is to become another protocol's. */
export interface Upgrading {
  readonly from: IncomingMessage
  /** The client's; it has no reader yet. */
  readonly socket: Duplex
  /** What the client sent behind the request already. */
  readonly head: Buffer
  /** Where it came in. */
  readonly plane: Plane
  /** 32 hex digits. */
  readonly requestId: string
  /** The client's address. */
  readonly source: Source
  readonly draft: AuditDraft
  readonly meter: Meter | undefined
  /** What ends it when the caller loses the right to it. */
  readonly open: OpenCall
  /** Records the call, once: with the status of the answer, or without one. */
  answered(status: number | null): Effect.Effect<void>
}

/** The upstream speaks the protocol now. */
export interface Switched {
  readonly kind: "switched"
  readonly response: IncomingMessage
  readonly socket: Duplex
  /** What the upstream sent behind its answer already. */
  readonly head: Buffer
}

/** The upstream answered, and stays with HTTP. */
export interface Refused {
  readonly kind: "refused"
  readonly response: IncomingMessage
  readonly socket: Duplex
}

/** Whether a request asks to leave HTTP for a protocol that the cluster's API knows. A body has no place in such a request. */
export const asksForUpgrade = ({ headers, method }: IncomingMessage): boolean =>
  (method === "GET" || method === "POST") &&
  /^(websocket|spdy\/3\.1)$/i.test(headers.upgrade ?? "") &&
  headers["transfer-encoding"] === undefined &&
  Number(headers["content-length"] ?? 0) === 0

/**
 * Waits for the client to go, which a socket without a reader never notices,
 * and interrupts then. Of what the client says too early the first piece is
 * kept; the rest waits in the socket.
 *
 * @param early receives that piece
 */
export const hangUp = ({ socket }: Upgrading, early: Array<Buffer>): Effect.Effect<never> =>
  Effect.callback<never>((resume) => {
    const gone = () => resume(Effect.interrupt)
    const keep = (piece: Buffer) => {
      socket.pause()
      early.push(piece)
    }
    if (socket.destroyed) return gone()
    socket.on("end", gone).on("close", gone).on("data", keep)
    return Effect.sync(() => {
      socket.off("end", gone).off("close", gone).off("data", keep).pause()
    })
  })

/** Asks the upstream for the protocol, over a connection of its own. */
export const dial = (options: {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly protocol: string
  readonly ca: string | undefined
  /** Milliseconds without a word: exec waits for a container's runtime. */
  readonly patience: number
  /** Name, value, name, value. */
  readonly headers: ReadonlyArray<string>
}): Effect.Effect<Switched | Refused, BadGateway> =>
  Effect.callback<Switched | Refused, BadGateway>((resume) => {
    const { ca, method, origin, path, patience, protocol } = options
    const url = new URL(origin)
    const asked = {
      agent: false,
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      method,
      path,
      headers: [
        "host",
        url.host,
        ...withoutLength(options.headers),
        ...(method === "POST" ? ["content-length", "0"] : []),
        "connection",
        "Upgrade",
        "upgrade",
        protocol
      ],
      // Either side may have said its last word long before the other one.
      allowHalfOpen: true,
      timeout: patience
    }
    const request: ClientRequest =
      url.protocol === "https:" ? encrypted({ ...asked, ...(ca === undefined ? {} : { ca }) }) : plain(asked)
    request.on("upgrade", (response, socket, head) => {
      // Until somebody joins it to the client.
      socket.on("error", () => {})
      resume(Effect.succeed({ kind: "switched", response, socket, head }))
    })
    request.on("response", (response) => {
      // The response forgets it at its end.
      const { socket } = response
      resume(Effect.succeed({ kind: "refused", response, socket }))
    })
    request.on("timeout", () => request.destroy(new Error("no answer in time")))
    request.on("error", (error) => resume(Effect.fail(BadGateway.upstream(`kubernetes: ${wordsOf(error)}`, true))))
    request.end()
    return Effect.sync(() => request.destroy())
  })

const withoutLength = (headers: ReadonlyArray<string>): Array<string> =>
  headers.flatMap((name, i) =>
    i % 2 === 0 && name.toLowerCase() !== "content-length" ? [name, headers[i + 1] ?? ""] : []
  )

/** Without the addresses that the error may hold. */
const wordsOf = (error: Error): string =>
  "code" in error && typeof error.code === "string"
    ? `no answer: the connection failed (${error.code})`
    : error.message === "no answer in time"
      ? error.message
      : "no answer: the connection failed"

/**
 * Joins the two connections until both are closed: every byte of one goes to
 * the other, at the pace of the slower; an end goes on as an end, and when one
 * is gone the other one goes. When the caller loses the right to it both are
 * closed; a WebSocket's client is told why where no frame is cut by that.
 *
 * @param returned the head that the client gets: name, value, name, value
 * @param idle milliseconds after which a connection that moves nothing is given up
 */
export const splice = (
  { head, open: call, socket: client }: Upgrading,
  upstream: Switched,
  returned: ReadonlyArray<string>,
  idle: number
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const protocol = upstream.response.headers.upgrade ?? ""
    const both = [client, upstream.socket] as const
    const destroy = () => {
      for (const one of both) one.destroy()
    }
    let open = both.length
    const closed = () => {
      open -= 1
      if (open === 0) resume(Effect.void)
    }
    if (client.destroyed || upstream.socket.destroyed) {
      destroy()
      return resume(Effect.void)
    }
    const frames = /^websocket$/i.test(protocol) ? new Frames() : undefined
    if (frames !== undefined) {
      frames.pass(upstream.head)
      upstream.socket.on("data", (piece: Buffer) => frames.pass(piece))
    }
    call.farewell = (refusal) => {
      upstream.socket.unpipe(client).destroy()
      if (frames?.isBetween !== true) return void client.destroy()
      client.end(closingFrame(reasonOf(refusal)))
      lastWords(client)
      setTimeout(() => client.destroy(), farewellTime).unref()
    }
    client.write(headText(101, [...returned, "Connection", "Upgrade", "Upgrade", protocol]))
    if (upstream.head.length > 0) client.write(upstream.head)
    if (head.length > 0) upstream.socket.write(head)
    for (const [one, other] of [both, [upstream.socket, client] as const]) {
      limitIdle(one, idle)
      one.on("error", () => {})
      one.once("end", () => hurry(other))
      one.once("close", () => {
        // Its farewell is under way.
        if (one === client || call.refusal === undefined) letGo(one, other)
        closed()
      })
      one.pipe(other)
    }
    return Effect.sync(destroy)
  })

/** Milliseconds that a client has to read why its connection ends. */
const farewellTime = 1_000

/** One is gone. What it said to its end is delivered; otherwise the other one breaks off as it did. */
const letGo = (one: Duplex, other: Duplex): void => {
  if (!one.readableEnded || other.writableFinished) return void other.destroy()
  other.resume()
  other.end()
  other.once("finish", () => other.destroy())
}

/**
 * Gives the client the upstream's answer as it is; then the connection ends,
 * since nobody reads HTTP from it any more.
 *
 * @param returned the head that the client gets: name, value, name, value
 * @param idle milliseconds after which an answer that does not go on is given up
 */
export const refuseWith = (
  { socket }: Upgrading,
  response: IncomingMessage,
  returned: ReadonlyArray<string>,
  idle: number
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (socket.destroyed) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
    // Nothing that it says is wanted, but that it goes has to be noticed.
    socket.once("end", () => socket.writableFinished || socket.destroy()).resume()
    response.once("error", () => socket.destroy())
    response.once("end", () => lastWords(socket))
    limitIdle(socket, idle)
    socket.write(headText(response.statusCode ?? 502, [...returned, "Connection", "close"]))
    response.pipe(socket)
    return Effect.sync(() => socket.destroy())
  })

/** Answers on a connection from which nobody reads HTTP any more, and ends it. */
export const refuse = (socket: Duplex, status: number, headers: ReadonlyArray<string>, body: Buffer): void => {
  if (socket.destroyed) return
  socket.write(headText(status, [...headers, "Content-Length", String(body.length), "Connection", "close"]))
  socket.end(body)
  lastWords(socket)
}

/** Milliseconds of silence after which a connection is closed whose other end has said its last word. */
const lingering = 2_000

/** A client may be sending still; were that left unread, the answer would be lost with the connection. */
const lastWords = (socket: Duplex): void => {
  socket.resume()
  limitIdle(socket, lingering)
}

const limitIdle = (socket: Duplex, milliseconds: number): void => {
  if (socket instanceof Socket) socket.setTimeout(milliseconds, () => socket.destroy())
}

/** From a connection of which only one direction is left. */
const hurry = (socket: Duplex): void => {
  if (socket instanceof Socket) socket.setTimeout(lingering)
}

const headText = (status: number, headers: ReadonlyArray<string>): Buffer => {
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1] ?? ""}`] : []))
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1")
}
