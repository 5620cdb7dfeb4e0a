import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Frames } from "../../src/proxy/kubernetes/frames.ts"

/** A frame with a payload of so many bytes (RFC 6455, section 5.2), its length written in the shortest form or a longer one. */
const frame = (payload: number, isMasked: boolean, longer: 0 | 2 | 8): Buffer => {
  const extended = payload > 65_535 ? 8 : Math.max(longer, payload > 125 ? 2 : 0)
  const head = Buffer.alloc(2 + extended + (isMasked ? 4 : 0), 0xff)
  head[0] = 0x82
  head[1] = (isMasked ? 0x80 : 0) | (extended === 8 ? 127 : extended === 2 ? 126 : payload)
  if (extended === 2) head.writeUInt16BE(payload, 2)
  if (extended === 8) head.writeBigUInt64BE(BigInt(payload), 2)
  return Buffer.concat([head, Buffer.alloc(payload, 0xff)])
}

const frames = fc.array(
  fc
    .tuple(fc.oneof(fc.integer({ min: 0, max: 130 }), fc.integer({ min: 0, max: 70_000 })), fc.boolean())
    .chain(([payload, isMasked]) =>
      fc.constantFrom<0 | 2 | 8>(0, 2, 8).map((longer) => frame(payload, isMasked, longer))
    ),
  { maxLength: 8 }
)

describe("the frames of a WebSocket", () => {
  it("are counted for any split of the bytes, with exactly the ends of frames as boundaries", () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 40_000 })), (list, sizes) => {
        const bytes = Buffer.concat(list)
        const ends = new Set(list.reduce<Array<number>>((all, _) => [...all, (all.at(-1) ?? 0) + _.length], [0]))
        const tracked = new Frames()
        let at = 0
        for (let n = 0; at < bytes.length; n++) {
          const next = Math.min(bytes.length, at + (sizes[n] ?? 1 + (n % 7) * 1_000))
          tracked.pass(bytes.subarray(at, next))
          at = next
          assert.strictEqual(tracked.isBetween, ends.has(at), `after ${at} of ${bytes.length} bytes`)
        }
        assert.isTrue(tracked.isBetween)
      })
    )
  })

  it("are counted byte by byte, too", () => {
    const list = [frame(0, false, 0), frame(3, true, 2), frame(126, false, 8), frame(0, true, 8)]
    const tracked = new Frames()
    const between = Array.from(Buffer.concat(list)).flatMap((byte, at) => {
      tracked.pass(Buffer.from([byte]))
      return tracked.isBetween ? [at + 1] : []
    })
    assert.deepStrictEqual(between, [2, 2 + 11, 13 + 136, 149 + 14])
  })
})
