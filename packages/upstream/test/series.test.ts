import { assert, it } from "@effect/vitest"
import { Durations } from "@portico/upstream/MetricsRegistry"

it("a histogram counts beyond 32 bits", () => {
  const durations = new Durations()
  durations.add(0.001, 2 ** 32 - 1)
  durations.add(0.001)
  durations.add(0.02)
  const [[, shortest] = [], , [, longer] = []] = durations.buckets
  assert.deepStrictEqual([shortest, longer], [2 ** 32, 2 ** 32 + 1])
  assert.strictEqual(durations.count, 2 ** 32 + 1)
})

it("a duration above the last boundary is in the count alone", () => {
  const durations = new Durations()
  durations.add(61)
  assert.deepStrictEqual(new Set(durations.buckets.map(([, count]) => count)), new Set([0]))
  assert.deepStrictEqual([durations.count, durations.sum], [1, 61])
})
