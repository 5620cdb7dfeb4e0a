import { Effect } from "effect"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import type { TLSSocket } from "node:tls"

/** What TLS is spoken over: it passes everything on, until what TLS writes is held. */
export class Held extends Duplex {
  readonly #socket: Socket
  #held: Array<Buffer> | undefined

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on("data", (piece) => this.push(piece))
    socket.once("close", () => this.destroy())
    socket.on("error", () => this.destroy())
  }

  hold(): void {
    this.#held = []
  }

  /** Sends what was held, all at once. */
  release(): void {
    this.#socket.write(Buffer.concat(this.#held ?? []))
    this.#held = undefined
  }

  override _read(): void {}

  override _write(piece: Buffer, _: BufferEncoding, done: () => void): void {
    if (this.#held === undefined) return void this.#socket.write(piece, () => done())
    this.#held.push(piece)
    done()
  }
}

/** Makes each of the texts a TLS record of its own, which are held. */
export const holdRecords = (secure: TLSSocket, held: Held, texts: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    held.hold()
    for (const text of texts) await new Promise((written) => secure.write(text, written))
  })

/** Sends such records, all at once. */
export const sendInRecords = (secure: TLSSocket, held: Held, texts: ReadonlyArray<string>) =>
  Effect.tap(holdRecords(secure, held, texts), () => Effect.sync(() => held.release()))

/** Empty lines before a head, byte by byte. */
export const emptyLines = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, nth) => (nth % 2 === 0 ? "\r" : "\n"))
