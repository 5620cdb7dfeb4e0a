import { Effect, Predicate, type Scope } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { Socket } from "node:net"
import { errors } from "undici"

/**
 * Lets undici accept a `100 Continue` for which no request asked, as a client has to (RFC 9110, section 15.2), until the
 * scope is closed. undici accepts any other interim answer, and ends the connection at this one: it is shown as `102
 * Processing`, which means as little to a client. It applies to all of undici's connections over HTTP/1.1.
 */
export const acceptUnaskedContinue: Effect.Effect<void, never, Scope.Scope> = Effect.asVoid(
  Effect.acquireRelease(
    Effect.sync(() => subscribe(sent, expect)),
    () => Effect.sync(() => unsubscribe(sent, expect))
  )
)

/** Told of each request when its head is written, before anything of its answer can be there. */
const sent = "undici:client:sendHeaders"

const heads = new WeakMap<Socket, Heads>()

const expect = (message: unknown): void => {
  const socket = Predicate.hasProperty(message, "socket") ? message.socket : undefined
  if (!(socket instanceof Socket)) return
  const known = heads.get(socket)
  if (known !== undefined) return known.begin()
  heads.set(socket, new Heads(socket))
}

/** More than any service sends. Reading them without end would keep all other calls waiting. */
const mostHeads = 16

const [zero, one, two] = [0x30, 0x31, 0x32]
const [carriageReturn, lineFeed] = [0x0d, 0x0a]

/** `HTTP/1.1 100`: where the digits of the status are. */
const [first, second, third] = [9, 10, 11]

/** Follows the interim heads of each answer on a connection, up to its final one. */
class Heads {
  #isExpected = true
  /** How far into the status line. */
  #at = 0
  #digits = ""
  /** The line that is being read of an interim head is empty so far. */
  #isEmptyLine = false
  /** Interim heads of this answer that have ended. */
  #heads = 0
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
    const { read } = socket
    socket.read = (size) => {
      const piece: unknown = read.call(socket, size)
      if (this.#isExpected && Buffer.isBuffer(piece)) this.#follow(piece)
      return piece
    }
  }

  begin(): void {
    this.#heads = 0
    this.#expectHead()
  }

  #expectHead(): void {
    this.#isExpected = true
    this.#at = 0
    this.#digits = ""
  }

  #follow(piece: Buffer): void {
    for (let index = 0; index < piece.length && this.#isExpected; index++) {
      const byte = piece[index] ?? 0
      if (this.#at > third) this.#passHead(byte)
      // Empty lines before an answer count for nothing.
      else if (this.#at > 0 || (byte !== carriageReturn && byte !== lineFeed)) this.#readStatus(piece, index, byte)
    }
  }

  #readStatus(piece: Buffer, index: number, byte: number): void {
    const at = this.#at++
    if (at === first && byte !== one) this.#isExpected = false
    else if (at === second) this.#digits = byte === zero ? "10" : "1x"
    else if (at === third) {
      if (this.#digits === "10" && byte === zero) piece[index] = two
      this.#isEmptyLine = false
    }
  }

  /** After the empty line at the end of an interim head the next status line follows. */
  #passHead(byte: number): void {
    if (byte === lineFeed) {
      if (this.#isEmptyLine) this.#endHead()
      else this.#isEmptyLine = true
    } else if (byte !== carriageReturn) this.#isEmptyLine = false
  }

  #endHead(): void {
    this.#expectHead()
    if (++this.#heads <= mostHeads) return
    this.#isExpected = false
    this.#socket.destroy(new errors.HeadersOverflowError("too many interim answers"))
  }
}
