import { assert, describe, it } from "@effect/vitest"
import { deadBurst, longestWait, perSecond, SourceRate } from "@portico/domain/limits/SourceRate"

/** A source that has just brought as many dead tokens as hold it. */
const held = (at: number) => {
  const rate = new SourceRate()
  for (let token = 0; token < deadBurst; token++) rate.noteDead(at)
  return rate
}

describe("a source", () => {
  it("is held from its hundredth inactive token, until one of them is absolved", () => {
    const rate = new SourceRate()
    for (let token = 1; token < deadBurst; token++) rate.noteDead(1_000)
    assert.isFalse(rate.isHeld(1_000))
    rate.noteDead(1_000)
    assert.isTrue(rate.isHeld(1_000))
    assert.isFalse(rate.isHeld(1_000 + 1000 / perSecond))
  })

  it("is forgiven a number per second, also between notes and absolutions", () => {
    const rate = held(0)
    // Half of them are forgotten: as many may come again.
    for (let token = 0; token < deadBurst / 2; token++) rate.noteDead(2_500)
    assert.isTrue(rate.isHeld(2_500))
    rate.absolve(2_500)
    assert.isFalse(rate.isHeld(2_500))
    rate.noteDead(2_500)
    assert.isTrue(rate.isHeld(2_500))

    const other = held(0)
    other.absolve(2_500)
    for (let token = 0; token < deadBurst / 2; token++) other.noteDead(2_500)
    assert.isFalse(other.isHeld(2_500))
    other.noteDead(2_500)
    assert.isTrue(other.isHeld(2_500))
  })

  it("has no credit after a long time, or when the clock went back", () => {
    const rate = held(0)
    for (let token = 0; token < deadBurst; token++) rate.noteDead(3_600_000)
    assert.isTrue(rate.isHeld(3_600_000))
    assert.isTrue(rate.isHeld(3_500_000))
    const fresh = new SourceRate()
    fresh.absolve(0)
    for (let token = 0; token < deadBurst; token++) fresh.noteDead(0)
    assert.isTrue(fresh.isHeld(0))
  })

  it("gets slots of a twentieth of a second in each lane, none too far ahead", () => {
    const rate = new SourceRate()
    const turns = Array.from({ length: longestWait / (1000 / perSecond) + 1 }, () => rate.turn("new", 7))
    assert.deepStrictEqual(turns.slice(0, 3), [0, 50, 100])
    assert.strictEqual(turns.at(-1), longestWait)
    assert.isUndefined(rate.turn("new", 7))
    assert.strictEqual(rate.turn("returning", 7), 0)
    assert.isUndefined(rate.turn("new", 56))
    assert.strictEqual(rate.turn("new", 57), longestWait)
  })
})
