import { assert, describe, it } from "@effect/vitest"
import { ClientRequest } from "@portico/gateway/requests/ClientRequest"
import { createServer } from "node:http"
import { connect, Socket } from "node:net"

const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, n) => n % 251))

/** Gives a request its body in pieces of so many bytes, as the parser does. */
const given = (request: ClientRequest, size: number) => {
  for (let at = 0; at < bytes.length; at += size) request.push(bytes.subarray(at, at + size))
  request.complete = true
  request.push(null)
}

/** The pieces that a reader gets. */
const read = (request: ClientRequest) => {
  const pieces: Array<Buffer> = []
  request.on("data", (piece: Buffer) => pieces.push(piece))
  return { pieces, ended: new Promise<void>((resolve) => void request.once("end", resolve)) }
}

describe("a body of 50,000 pieces of one byte", () => {
  it("is a few pieces to a reader that waits for the whole of it", async () => {
    const request = new ClientRequest(new Socket())
    request.hold()
    const { ended, pieces } = read(request)
    given(request, 1)
    await ended
    assert.isTrue(Buffer.concat(pieces).equals(bytes))
    assert.isAtMost(pieces.length, 8 + Math.ceil(bytes.length / (16 * 1024)))
  })

  it("is a few pieces in memory while nobody reads it", async () => {
    const request = new ClientRequest(new Socket())
    given(request, 1)
    const { ended, pieces } = read(request)
    await ended
    assert.isTrue(Buffer.concat(pieces).equals(bytes))
    assert.isAtMost(pieces.length, 8 + Math.ceil(bytes.length / (16 * 1024)) + 2)
  })

  it("is a few pieces in memory while nobody reads it, also when each comes by itself", async () => {
    const request = new ClientRequest(new Socket())
    for (let n = 0; n < 2_000; n++) {
      request.push(bytes.subarray(n, n + 1))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { pieces } = read(request)
    await new Promise((resolve) => setImmediate(resolve))
    assert.isTrue(Buffer.concat(pieces).equals(bytes.subarray(0, 2_000)))
    const memory = new Set(pieces.map((_) => _.buffer))
    assert.isAtMost(pieces.length, 10)
    assert.isAtMost(
      [...memory].reduce((sum, _) => sum + _.byteLength, 0),
      bytes.byteLength + 16 * 1024
    )
  })

  it("is whole to a reader that asks for a few bytes at a time", () => {
    const request = new ClientRequest(new Socket())
    given(request, 1)
    const pieces: Array<Buffer> = []
    for (let piece = request.read(7); Buffer.isBuffer(piece); piece = request.read(7)) pieces.push(piece)
    assert.isTrue(Buffer.concat(pieces).equals(bytes))
  })

  it("passes at once to a reader that takes it as it comes", async () => {
    const request = new ClientRequest(new Socket())
    const { pieces } = read(request)
    await new Promise((resolve) => setImmediate(resolve))
    for (let n = 0; n < 20; n++) {
      request.push(bytes.subarray(n, n + 1))
      assert.lengthOf(pieces, n + 1)
    }
  })
})

describe("a body whose client waits for an answer before it sends more", () => {
  it("passes whole to a reader that comes late", async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const server = createServer({ IncomingMessage: ClientRequest })
    const arrived = new Promise<ClientRequest>((resolve) => void server.once("request", resolve))
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const client = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1").setNoDelay()
    let written = 0
    const send = (text: string) => {
      written += text.length
      client.write(text)
    }
    send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    const request = await arrived
    const { pieces } = read(request)
    request.pause()
    for (let n = 0; n < 11; n++) {
      send("1\r\nx\r\n")
      // One piece a turn, or the stream would not ask for more in between.
      while (request.socket.bytesRead < written) await turn()
      await turn()
    }
    request.resume()
    for (let n = 0; n < 100; n++) await turn()
    client.destroy()
    server.close()
    assert.strictEqual(Buffer.concat(pieces).toString(), "x".repeat(11))
  })
})

describe("a body of larger pieces", () => {
  it("passes as it comes", async () => {
    const request = new ClientRequest(new Socket())
    request.hold()
    const { ended, pieces } = read(request)
    given(request, 5_000)
    await ended
    assert.lengthOf(pieces, 10)
  })
})
