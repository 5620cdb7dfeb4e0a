import { BadGateway } from "@portico/contract/Failures"
import { Effect } from "effect"
import { type ClientRequest, type IncomingMessage, request as plain } from "node:http"
import { request as encrypted } from "node:https"
import type { Duplex } from "node:stream"
import { reasonOf } from "../../streams/OpenCall.ts"
import { gatherSmallPieces } from "../../streams/SmallPieces.ts"
import { whenPaid } from "../../streams/throttles.ts"
import { headersOfAnswers } from "../../middleware/headers.ts"
import type { RawCall } from "../Exchange.ts"
import { withoutLength } from "../headers.ts"
import { closingFrame, Frames } from "./frames.ts"
import { limitIdle, linger, shortenIdle } from "./linger.ts"
import { headText, type RawConnection } from "./rawHead.ts"

/** A request to upgrade a connection to another protocol. */
export interface Upgrading extends RawCall {
  /** The client's socket; it has no reader yet. */
  readonly socket: Duplex
  /** Bytes that the client sent after the request. */
  readonly head: Buffer
  /** Records the call once, with the status of the answer, or without one. */
  record(status: number | null): Effect.Effect<void>
}

/** The upstream has switched to the protocol. */
export interface Switched {
  readonly kind: "switched"
  readonly response: IncomingMessage
  readonly socket: Duplex
  /** Bytes that the upstream sent after its answer. */
  readonly head: Buffer
}

/** The upstream answered without switching protocols. */
export interface Refused {
  readonly kind: "refused"
  readonly response: IncomingMessage
  readonly socket: Duplex
}

/** Whether a request asks for a protocol that the cluster's API supports. Such a request has no body. */
export const asksForUpgrade = ({ headers, method }: IncomingMessage): boolean =>
  (method === "GET" || method === "POST") &&
  /^(websocket|spdy\/3\.1)$/i.test(headers.upgrade ?? "") &&
  headers["transfer-encoding"] === undefined &&
  Number(headers["content-length"] ?? 0) === 0

/**
 * Interrupts when the client disconnects, which a socket without a reader would not notice. The first piece that the
 * client sends too early is kept; the rest waits in the socket.
 *
 * @param early receives that piece
 */
export const clientDisconnect = ({ socket }: Upgrading, early: Array<Buffer>): Effect.Effect<never> =>
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

/** Requests the protocol from the upstream, on a new connection. */
export const dial = (options: {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly protocol: string
  readonly ca: string | undefined
  /** Idle timeout in milliseconds; an exec waits for the container's runtime. */
  readonly answerTimeout: number
  /** Name, value, name, value. */
  readonly headers: ReadonlyArray<string>
}): Effect.Effect<Switched | Refused, BadGateway> =>
  Effect.callback<Switched | Refused, BadGateway>((resume) => {
    const { ca, method, origin, path, answerTimeout, protocol } = options
    const url = new URL(origin)
    const requestOptions = {
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
      // Either side may end its direction long before the other.
      allowHalfOpen: true,
      timeout: answerTimeout
    }
    const request: ClientRequest =
      url.protocol === "https:"
        ? encrypted({ ...requestOptions, ...(ca === undefined ? {} : { ca }) })
        : plain(requestOptions)
    request.on("upgrade", (response, socket, head) => {
      // An 'error' event without a listener crashes the process, and the socket is not joined to the client yet.
      socket.on("error", () => {})
      resume(Effect.succeed({ kind: "switched", response, socket, head }))
    })
    request.on("response", (response) => {
      // Read now, because the response drops its socket at its end.
      const { socket } = response
      resume(Effect.succeed({ kind: "refused", response, socket }))
    })
    request.on("timeout", () => request.destroy(new Error("no answer in time")))
    request.on("error", (error) => resume(Effect.fail(BadGateway.upstream(`kubernetes: ${messageOf(error)}`, true))))
    request.end()
    return Effect.sync(() => request.destroy())
  })

/** The failure message, without the addresses that the error may contain. */
const messageOf = (error: Error): string =>
  "code" in error && typeof error.code === "string"
    ? `no answer: the connection failed (${error.code})`
    : error.message === "no answer in time"
      ? error.message
      : "no answer: the connection failed"

/**
 * Joins the two connections until both are closed. Bytes flow in both directions with back-pressure, an end of stream
 * is passed on, and when one connection closes the other is closed. When the caller loses the right to the call both
 * are closed; a WebSocket client receives the reason in a close frame, unless that would split a frame.
 *
 * @param returned the head that the client gets: name, value, name, value
 * @param idle idle timeout of the connections, in milliseconds
 */
export const splice = (
  upgrading: Upgrading,
  upstream: Switched,
  returned: ReadonlyArray<string>,
  idle: number
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const { head, open: call, socket: client } = upgrading
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
    call.endWithReason = (refusal) => {
      upstream.socket.destroy()
      if (frames?.isBetween !== true) return void client.destroy()
      client.end(closingFrame(reasonOf(refusal)))
      linger(client)
      setTimeout(() => client.destroy(), reasonTimeout).unref()
    }
    client.write(headText(upgrading, 101, [...returned, "Connection", "Upgrade", "Upgrade", protocol]))
    if (upstream.head.length > 0) client.write(upstream.head)
    if (head.length > 0) upstream.socket.write(head)
    for (const [one, other] of [both, [upstream.socket, client] as const]) {
      limitIdle(one, idle)
      one.on("error", () => {})
      one.once("end", () => shortenIdle(other))
      one.once("close", () => {
        // The client is still receiving the reason for the end.
        if (one === client || call.refusal === undefined) closeOther(one, other)
        closed()
      })
      passOn(one, other)
    }
    return Effect.sync(destroy)
  })

/**
 * Passes on what one side sends, in turn with all other streams. One piece waits for the other side at a time: one of a
 * single byte takes memory as well.
 */
const passOn = (from: Duplex, to: Duplex): void => {
  const owed = gatherSmallPieces(from)
  from.on("data", (piece: Buffer) => {
    // What comes after that is read and discarded.
    if (to.destroyed || to.writableEnded) return
    from.pause()
    to.write(piece, () => whenPaid(Math.max(piece.length, owed()), () => from.resume()))
  })
  from.once("end", () => to.end())
  from.resume()
}

/** Milliseconds in which a client can read the reason for the end. */
const reasonTimeout = 1_000

/**
 * Closes the other connection after one is gone. Data that it sent up to a regular end is delivered; otherwise the
 * other connection is broken off too.
 */
const closeOther = (one: Duplex, other: Duplex): void => {
  if (!one.readableEnded || other.writableFinished) return void other.destroy()
  other.resume()
  other.end()
  other.once("finish", () => other.destroy())
}

/** The most of a refused upgrade's body, in bytes and in pieces. It says why; whoever sends more takes time from others. */
const refusalBytes = 64 * 1024
const refusalPieces = 1_000

/**
 * Relays the upstream's HTTP answer to the client and then ends the connection, because no HTTP parser reads it any
 * more. Where the body is longer than any refusal the connection breaks off.
 *
 * @param returned the head that the client gets: name, value, name, value
 * @param idle idle timeout of the answer, in milliseconds
 */
export const refuseWith = (
  upgrading: Upgrading,
  response: IncomingMessage,
  returned: ReadonlyArray<string>,
  idle: number
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const { socket } = upgrading
    if (socket.destroyed) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
    // Data from the client is discarded, but it has to be read to notice a disconnect.
    socket.once("end", () => socket.writableFinished || socket.destroy()).resume()
    response.once("error", () => socket.destroy())
    response.once("end", () => {
      socket.end()
      linger(socket)
    })
    limitIdle(socket, idle)
    socket.write(headText(upgrading, response.statusCode ?? 502, [...returned, "Connection", "close"]))
    let [bytes, pieces] = [0, 0]
    response.on("data", (piece: Buffer) => {
      bytes += piece.length
      pieces += 1
      if (bytes <= refusalBytes && pieces <= refusalPieces) return void socket.write(piece)
      response.destroy()
      socket.destroy()
    })
    return Effect.sync(() => socket.destroy())
  })

/** Answers with JSON on such a connection, and ends it. */
export const refuse = (to: RawConnection, status: number, headers: ReadonlyArray<string>, body: unknown): void => {
  const { socket } = to
  if (socket.destroyed) return
  const bytes = Buffer.from(JSON.stringify(body))
  const own = [
    "Content-Type",
    "application/json",
    ...headersOfAnswers,
    ...headers,
    "Content-Length",
    String(bytes.length)
  ]
  socket.write(headText(to, status, [...own, "Connection", "close"]))
  socket.end(bytes)
  linger(socket)
}
