import { assert, it } from "@effect/vitest"
import { SeededRandom } from "../random.ts"

const drawn = (random: SeededRandom) => Array.from({ length: 5 }, () => random.int(0, 1000))

it("a seed is a sequence", () => {
  assert.deepStrictEqual(drawn(SeededRandom.of(7, "load")), drawn(SeededRandom.of(7, "load")))
  assert.notDeepEqual(drawn(SeededRandom.of(7, "load")), drawn(SeededRandom.of(8, "load")))
  assert.notDeepEqual(drawn(SeededRandom.of(7, "load")), drawn(SeededRandom.of(7, "faults")))
})
