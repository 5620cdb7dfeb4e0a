import { assert, describe, it } from "@effect/vitest"
import { ClientRequest } from "@portico/gateway/streams/ClientRequest"
import { createServer } from "node:http"
import { connect, Socket } from "node:net"

const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, n) => n % 251))

const turn = () => new Promise((resolve) => setImmediate(resolve))

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
  it("breaks the connection off where the gateway reads it, and nothing more of it is kept", async () => {
    const request = new ClientRequest(new Socket())
    request.hold()
    const { pieces } = read(request)
    given(request, 1)
    assert.isTrue(request.socket.destroyed)
    await turn()
    assert.isAtMost(Buffer.concat(pieces).length, 4_096)
  })

  it("is a few pieces to a reader that waits for the whole of it, where they are of 64 bytes", async () => {
    const request = new ClientRequest(new Socket())
    request.hold()
    const { ended, pieces } = read(request)
    given(request, 64)
    await ended
    assert.isTrue(Buffer.concat(pieces).equals(bytes))
    assert.isAtMost(pieces.length, 8 + Math.ceil(bytes.length / (16 * 1024)))
  })

  it("is a few pieces in memory while it is unread", async () => {
    const request = new ClientRequest(new Socket())
    given(request, 1)
    const { ended, pieces } = read(request)
    await ended
    assert.isTrue(Buffer.concat(pieces).equals(bytes))
    assert.isAtMost(pieces.length, 8 + Math.ceil(bytes.length / (16 * 1024)) + 2)
  })

  it("is a few pieces in memory while it is unread, also when each comes by itself", async () => {
    const request = new ClientRequest(new Socket())
    for (let n = 0; n < 2_000; n++) {
      request.push(bytes.subarray(n, n + 1))
      await turn()
    }
    const { pieces } = read(request)
    await turn()
    assert.isTrue(Buffer.concat(pieces).equals(bytes.subarray(0, 2_000)))
    const memory = new Set(pieces.map((_) => _.buffer))
    assert.isAtMost(pieces.length, 10)
    assert.isAtMost(
      [...memory].reduce((sum, _) => sum + _.byteLength, 0),
      bytes.byteLength + 16 * 1024
    )
  })

  it("is complete for a reader that asks for a few bytes at a time", () => {
    const request = new ClientRequest(new Socket())
    given(request, 1)
    const pieces: Array<Buffer> = []
    for (let piece = request.read(7); Buffer.isBuffer(piece); piece = request.read(7)) pieces.push(piece)
    assert.isTrue(Buffer.concat(pieces).equals(bytes))
  })

  it("is passed on in the same turn of the event loop to a fast reader", async () => {
    const request = new ClientRequest(new Socket())
    const { pieces } = read(request)
    await turn()
    for (let n = 0; n < 20; n++) {
      request.push(bytes.subarray(n, n + 1))
      await turn()
      assert.lengthOf(pieces, n + 1)
    }
  })

  it("is a few pieces for a reader when many come in one turn", async () => {
    const request = new ClientRequest(new Socket())
    const { pieces } = read(request)
    await turn()
    for (let n = 0; n < 2_000; n++) request.push(bytes.subarray(n, n + 1))
    await turn()
    assert.isTrue(Buffer.concat(pieces).equals(bytes.subarray(0, 2_000)))
    assert.lengthOf(pieces, 9)
  })
})

/** A server whose next request is handed over, and a client that has sent the head of one with a body in chunks. */
const uploading = async () => {
  const server = createServer({ IncomingMessage: ClientRequest })
  const arrived = new Promise<ClientRequest>((resolve) => void server.once("request", resolve))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const client = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1").setNoDelay()
  client.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
  const end = () => {
    client.destroy()
    server.close()
  }
  return { client, end, request: await arrived }
}

const after = async (isSo: () => boolean) => {
  while (!isSo()) await turn()
}

describe("a body whose client waits for an answer before sending more", () => {
  it("is complete for a late reader", async () => {
    const { client, end, request } = await uploading()
    const { pieces } = read(request)
    request.pause()
    client.write("1\r\nx\r\n".repeat(11))
    await after(() => request.socket.bytesRead > 11 * 6)
    request.resume()
    for (let n = 0; n < 100; n++) await turn()
    end()
    assert.strictEqual(Buffer.concat(pieces).toString(), "x".repeat(11))
  })
})

describe("a body of very many small pieces", () => {
  it("is read once in a turn of the event loop, which leaves turns to others", async () => {
    const { client, end, request } = await uploading()
    const { pieces } = read(request)
    client.write("1\r\nx\r\n".repeat(40_000))
    let most = 0
    while (Buffer.concat(pieces).length < 40_000) {
      const before = request.socket.bytesRead
      await turn()
      most = Math.max(most, request.socket.bytesRead - before)
    }
    end()
    // What Node reads at once.
    assert.isAtMost(most, 65_536)
  })
})

describe("a body of larger pieces", () => {
  it("is passed on as it comes", async () => {
    const request = new ClientRequest(new Socket())
    request.hold()
    const { ended, pieces } = read(request)
    given(request, 5_000)
    await ended
    assert.lengthOf(pieces, 10)
  })

  it("is not copied when each read leaves a small rest", async () => {
    const request = new ClientRequest(new Socket())
    request.hold()
    const { ended, pieces } = read(request)
    const sent = Array.from({ length: 40 }, (_, n) => Buffer.alloc(n % 2 === 0 ? 16 * 1024 : 7))
    for (const piece of sent) request.push(piece)
    request.push(null)
    await ended
    assert.lengthOf(pieces, sent.length)
    assert.isTrue(pieces.every((piece, n) => piece === sent[n]))
  })

  it("is a few more pieces with many small ones in between", async () => {
    const request = new ClientRequest(new Socket())
    request.hold()
    const { ended, pieces } = read(request)
    for (let n = 0; n < 4_000; n++) request.push(Buffer.alloc(n % 1_000 === 0 ? 16 * 1024 : 1))
    request.push(null)
    await ended
    // Each of the four large ones, the eight after it, and the rest in one.
    assert.lengthOf(pieces, 4 * (1 + 8 + 1))
  })
})
