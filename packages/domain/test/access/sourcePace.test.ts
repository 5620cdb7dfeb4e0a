import { assert, describe, it } from "@effect/vitest"
import { deadBurst, longestWait, perSecond, SourcePace } from "@portico/domain/access/SourcePace"

/** A source that has just brought as many dead tokens as hold it. */
const held = (at: number) => {
  const pace = new SourcePace()
  for (let token = 0; token < deadBurst; token++) pace.noteDead(at)
  return pace
}

describe("a source", () => {
  it("is held from its hundredth inactive token, until one of them is absolved", () => {
    const pace = new SourcePace()
    for (let token = 1; token < deadBurst; token++) pace.noteDead(1_000)
    assert.isFalse(pace.isHeld(1_000))
    pace.noteDead(1_000)
    assert.isTrue(pace.isHeld(1_000))
    assert.isFalse(pace.isHeld(1_000 + 1000 / perSecond))
  })

  it("is forgiven a number per second, also between notes and absolutions", () => {
    const pace = held(0)
    // Half of them are forgotten: as many may come again.
    for (let token = 0; token < deadBurst / 2; token++) pace.noteDead(2_500)
    assert.isTrue(pace.isHeld(2_500))
    pace.absolve(2_500)
    assert.isFalse(pace.isHeld(2_500))
    pace.noteDead(2_500)
    assert.isTrue(pace.isHeld(2_500))

    const other = held(0)
    other.absolve(2_500)
    for (let token = 0; token < deadBurst / 2; token++) other.noteDead(2_500)
    assert.isFalse(other.isHeld(2_500))
    other.noteDead(2_500)
    assert.isTrue(other.isHeld(2_500))
  })

  it("has no credit after a long time, or when the clock went back", () => {
    const pace = held(0)
    for (let token = 0; token < deadBurst; token++) pace.noteDead(3_600_000)
    assert.isTrue(pace.isHeld(3_600_000))
    assert.isTrue(pace.isHeld(3_500_000))
    const fresh = new SourcePace()
    fresh.absolve(0)
    for (let token = 0; token < deadBurst; token++) fresh.noteDead(0)
    assert.isTrue(fresh.isHeld(0))
  })

  it("gets slots of a twentieth of a second in each lane, none too far ahead", () => {
    const pace = new SourcePace()
    const turns = Array.from({ length: longestWait / (1000 / perSecond) + 1 }, () => pace.turn("new", 7))
    assert.deepStrictEqual(turns.slice(0, 3), [0, 50, 100])
    assert.strictEqual(turns.at(-1), longestWait)
    assert.isUndefined(pace.turn("new", 7))
    assert.strictEqual(pace.turn("returning", 7), 0)
    assert.isUndefined(pace.turn("new", 56))
    assert.strictEqual(pace.turn("new", 57), longestWait)
  })
})
