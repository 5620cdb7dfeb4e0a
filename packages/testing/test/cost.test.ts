import { assert, it } from "@effect/vitest"
import { costText } from "@portico/testing/run/CostReporter"

it("a run's cost is the sum of its files and of Vitest, and the ten dearest files", () => {
  const costs = Array.from({ length: 12 }, (_, index) => ({ file: `file-${index}.test.ts`, cpuSeconds: index / 2 }))
  const lines = costText(costs, 7.2).trim().split("\n")
  assert.strictEqual(lines[0], "40 CPU seconds: 33 in 12 files, 7 in Vitest itself")
  assert.lengthOf(lines, 11)
  assert.strictEqual(lines[1]?.trim(), "5.5  file-11.test.ts")
  assert.strictEqual(lines[10]?.trim(), "1.0  file-2.test.ts")
})
