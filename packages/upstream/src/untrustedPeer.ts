import { type Context, Effect } from "effect"
import { isIP, type LookupFunction, type Socket } from "node:net"
import { Duplex } from "node:stream"
import { connect as connectTls } from "node:tls"
import { buildConnector, errors } from "undici"
import { CallOwner, turnForText } from "./limits/longTexts.ts"

/** Those of TLS 1.3, and of TLS 1.2 the ones with forward secrecy and authenticated encryption: Mozilla's intermediate. */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305"
]

const groups = ["X25519MLKEM768", "X25519", "P-256", "P-384", "P-521"]

/**
 * TLS with a peer that is not trusted: 1.2 at least (RFC 8996), and without groups of finite fields. The peer chooses such
 * a group's size, and one handshake with 10,000 bits blocks the event loop for a second.
 */
export const cheapTls = { minVersion: "TLSv1.2", ciphers: ciphers.join(":"), ecdhCurve: groups.join(":") } as const

/** The most bytes of a handshake. Chains of certificates are of a few kilobytes, and each one takes time to check. */
const handshakeBytes = 16 * 1024

/** The peer sent more certificates than a handshake has room for. */
export class HandshakeTooLong extends Error {}

/** Waits for a turn, and calls back; with false when there is none. */
type Turn = (length: number, then: (isTurn: boolean) => void) => void

/**
 * The encrypted bytes of a connection to a peer that is not trusted. OpenSSL works on all bytes that it is given in one
 * piece, while all other calls wait, and the peer chooses how much work they are. So a handshake's bytes are limited,
 * and those of all such peers are worked on in turns; and so are the bytes of an answer, which may come as
 * records of one byte each.
 */
export class Encrypted extends Duplex {
  readonly #socket: Socket
  readonly #turn: Turn
  readonly #answerBytes: number
  #left = handshakeBytes
  #isSecure = false

  constructor(socket: Socket, turn: Turn, answerBytes: number) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#turn = turn
    this.#answerBytes = answerBytes
    socket.on("data", (piece: Buffer) => this.#take(piece))
    socket.once("end", () => this.push(null))
    socket.once("error", (error) => this.destroy(error))
    socket.once("close", () => this.destroy())
  }

  /** The handshake is over. */
  secured(): void {
    this.#isSecure = true
    this.#left = this.#answerBytes
  }

  #take(piece: Buffer): void {
    this.#socket.pause()
    const taken = piece.subarray(0, this.#left)
    this.#left -= taken.length
    if (this.#isSecure) return this.#pass(taken)
    if (taken.length < piece.length) return void this.destroy(new HandshakeTooLong())
    this.#turn(taken.length, (isTurn) => {
      if (isTurn) this.#pass(taken)
      else this.destroy(new errors.ConnectTimeoutError("too many handshakes wait"))
    })
  }

  #pass(taken: Buffer): void {
    if (this.destroyed || taken.length === 0) return
    this.push(taken)
    this.#socket.resume()
  }

  override _read(): void {}

  override _write(piece: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(piece, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

/** How connections to such peers are made. */
interface Connecting {
  readonly lookup: LookupFunction
  /** The authorities to trust, PEM; without it the system's. */
  readonly ca?: string
  /** The most bytes that are decrypted of an answer. Nothing beyond them is read. */
  readonly answerBytes: number
  /** Milliseconds for the connection, and as many for the handshake. */
  readonly timeout: number
  /** Of the call, whose owner takes the turns. */
  readonly context: Context.Context<never>
}

/** Connects undici to a peer that is not trusted, such as a receiver that a tenant chose. */
export const untrustedConnector = ({
  answerBytes,
  ca,
  context,
  lookup,
  timeout
}: Connecting): buildConnector.connector => {
  const plain = buildConnector({ lookup, timeout })
  const turn: Turn = (length, then) => {
    const waited = Effect.flatMap(CallOwner, (owner) => turnForText(owner, length))
    Effect.runForkWith(context)(Effect.match(waited, { onSuccess: () => then(true), onFailure: () => then(false) }))
  }
  return (options, callback) => {
    if (options.protocol !== "https:") return plain(options, callback)
    const { hostname } = options
    const port = options.port === "" ? "443" : options.port
    plain({ ...options, protocol: "http:", port }, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      const encrypted = new Encrypted(socket, turn, answerBytes)
      // Server names have no dot at their end (RFC 6066, section 3), and addresses no brackets.
      const host = hostname.replace(/^\[|\]$|\.$/g, "")
      const secure = connectTls({
        ...cheapTls,
        ALPNProtocols: ["http/1.1"],
        socket: encrypted,
        host,
        ...(ca === undefined ? {} : { ca }),
        ...(isIP(host) === 0 ? { servername: host } : {})
      })
      const timer = setTimeout(
        () => secure.destroy(new errors.ConnectTimeoutError("the handshake took too long")),
        timeout
      )
      let isOver = false
      const over = (...outcome: Parameters<buildConnector.Callback>) => {
        clearTimeout(timer)
        if (!isOver) callback(...outcome)
        isOver = true
      }
      encrypted.on("error", (error) => secure.destroy(error))
      // One error comes by several ways, and after the handshake undici has a listener of its own.
      secure.on("error", (error) => over(error, null))
      secure.once("secureConnect", () => {
        encrypted.secured()
        over(null, secure)
      })
    })
  }
}
