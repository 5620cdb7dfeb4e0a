import { assert, describe, it } from "@effect/vitest"
import { Encrypted, HandshakeTooLong } from "@portico/upstream/untrustedPeer"
import { Socket } from "node:net"

const KiB = 1024

const passed = () => new Promise((resolve) => setImmediate(resolve))

/** What is decrypted of a connection, and how it reads. */
const opened = (turn: (length: number, then: (isTurn: boolean) => void) => void) => {
  const socket = new Socket()
  const encrypted = new Encrypted(socket, turn, 64 * KiB)
  const seen: { bytes: number; error: Error | undefined } = { bytes: 0, error: undefined }
  encrypted.on("data", (piece: Buffer) => void (seen.bytes += piece.length))
  const closed = new Promise<void>((resolve) => encrypted.once("close", () => resolve()))
  encrypted.on("error", (error) => void (seen.error = error))
  return { socket, encrypted, seen, closed, sends: (bytes: number) => socket.emit("data", Buffer.alloc(bytes)) }
}

describe("the bytes of a receiver over TLS", () => {
  it("waits for a turn during the handshake, and is not read meanwhile", async () => {
    const turns: Array<(isTurn: boolean) => void> = []
    const { seen, sends, socket } = opened((_, then) => void turns.push(then))
    sends(4 * KiB)
    assert.deepStrictEqual([seen.bytes, socket.isPaused()], [0, true])
    turns.shift()?.(true)
    await passed()
    assert.deepStrictEqual([seen.bytes, socket.isPaused()], [4 * KiB, false])
  })

  it("breaks off beyond 16 KiB of a handshake, and where there is no turn", async () => {
    const long = opened((_, then) => then(true))
    long.sends(16 * KiB)
    await passed()
    assert.strictEqual(long.seen.bytes, 16 * KiB)
    long.sends(1)
    await long.closed
    assert.instanceOf(long.seen.error, HandshakeTooLong)
    const crowded = opened((_, then) => then(false))
    crowded.sends(1)
    await crowded.closed
    assert.strictEqual(crowded.seen.bytes, 0)
    assert.isDefined(crowded.seen.error)
  })

  it("is decrypted up to 64 KiB after it, and not read beyond", async () => {
    const { encrypted, seen, sends, socket } = opened((_, then) => then(true))
    sends(3 * KiB)
    encrypted.secured()
    for (let count = 0; count < 10; count++) if (!socket.isPaused()) sends(10 * KiB)
    await passed()
    assert.deepStrictEqual([seen.bytes, socket.isPaused()], [67 * KiB, true])
  })
})
