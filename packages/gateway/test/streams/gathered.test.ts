import { assert, it } from "@effect/vitest"
import { gatherSmallPieces } from "@portico/gateway/streams/SmallPieces"
import { Duplex } from "node:stream"

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A stream that is given what it reads, as a TLS connection gives what it has decrypted. */
class Given extends Duplex {
  override _read(): void {}
}

it("single bytes that come in spite of a pause become a few pieces, in order, and cost what they are", async () => {
  const stream = new Given()
  const owed = gatherSmallPieces(stream)
  const pieces: Array<Buffer> = []
  stream.on("data", (piece: Buffer) => pieces.push(piece))
  stream.pause()
  const sent = Array.from({ length: 50_000 }, (_, n) => Buffer.of(n % 251))
  for (const piece of sent) stream.push(piece)
  await turn()
  stream.resume()
  stream.push(Buffer.alloc(2_000, 1))
  stream.push(Buffer.of(7))
  stream.push(null)
  await new Promise((resolve) => stream.once("end", resolve))
  assert.isTrue(Buffer.concat(pieces).equals(Buffer.concat([...sent, Buffer.alloc(2_000, 1), Buffer.of(7)])))
  assert.isAtMost(pieces.length, 20)
  assert.isAtLeast(owed(), 49_000 * 1_024)
  assert.strictEqual(owed(), 0)
})

it("a few small pieces, and large ones, pass at once as they are", () => {
  const stream = new Given()
  gatherSmallPieces(stream)
  const pieces: Array<Buffer> = []
  stream.on("data", (piece: Buffer) => pieces.push(piece))
  const sent = [Buffer.alloc(20_000), Buffer.of(1), Buffer.alloc(5_000)]
  for (const piece of sent) stream.push(piece)
  assert.deepStrictEqual(pieces, [])
  stream.resume()
  return turn().then(() => assert.deepStrictEqual(Buffer.concat(pieces), Buffer.concat(sent)))
})
