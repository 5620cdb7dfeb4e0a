import { drawn } from "@portico/testing/sample/sampled"
import { assert, it } from "@effect/vitest"

const cases = Array.from({ length: 50 }, (_, index) => index)
const seeds = Array.from({ length: 40 }, (_, index) => index)

it("so many are drawn, each once and in their order, and the same by the same seed", () => {
  for (const seed of seeds) {
    const some = drawn(seed, "a loop", 7, cases)
    assert.lengthOf(some, 7)
    assert.deepStrictEqual(
      some,
      [...new Set(some)].toSorted((a, b) => a - b)
    )
    assert.deepStrictEqual(drawn(seed, "a loop", 7, cases), some)
  }
})

it("other seeds and other loops draw others, and in time every case is drawn", () => {
  const all = seeds.flatMap((seed) => [...drawn(seed, "a loop", 7, cases), ...drawn(seed, "another loop", 7, cases)])
  assert.sameMembers([...new Set(all)], cases)
  assert.notDeepEqual(drawn(1, "a loop", 7, cases), drawn(2, "a loop", 7, cases))
  assert.notDeepEqual(drawn(1, "a loop", 7, cases), drawn(1, "another loop", 7, cases))
})

it("every case runs without a seed, or when the number covers all of them", () => {
  assert.deepStrictEqual(drawn(null, "a loop", 7, cases), cases)
  assert.deepStrictEqual(drawn(1, "a loop", 50, cases), cases)
})
