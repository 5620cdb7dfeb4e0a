import { assert, it } from "@effect/vitest"
import { RecentCalls } from "@portico/upstream/RecentCalls"

const minute = 60_000
const failure = { call: "create server", status: 503 }

it("counts the calls of five minutes, the current one included", () => {
  const recent = new RecentCalls()
  for (const at of [0, 1, 2, 3, 4]) recent.add(at * minute, 0.1)
  assert.strictEqual(recent.at(4 * minute).calls, 5)
  assert.strictEqual(recent.at(4 * minute + 59_999).calls, 5)
  assert.strictEqual(recent.at(5 * minute).calls, 4)
  recent.add(5 * minute, 0.1)
  assert.strictEqual(recent.at(5 * minute).calls, 5)
  // Whoever comes back after a long silence finds nothing of before.
  assert.deepInclude(recent.at(100 * minute), { calls: 0, failed: 0, p50: null, p95: null })
})

it("keeps the last failure, however old, when its count has expired", () => {
  const recent = new RecentCalls()
  assert.isNull(recent.at(0).lastFailed)
  recent.add(0, 0.1, { call: "read quotas", status: null })
  recent.add(1, 0.1, failure)
  recent.add(2, 0.1)
  const lastFailed = { at: 1, ...failure }
  assert.deepInclude(recent.at(2), { calls: 3, failed: 2, lastFailed })
  assert.deepInclude(recent.at(10 * minute), { calls: 0, failed: 0, lastFailed })
})

it("estimates durations between the shortest and the longest", () => {
  const one = new RecentCalls()
  one.add(0, 0.037)
  assert.deepInclude(one.at(0), { p50: 0.037, p95: 0.037 })

  const many = new RecentCalls()
  // 90 in (0.01, 0.025] of one minute, and 10 in (0.5, 1] of the next.
  for (let n = 0; n < 90; n++) many.add(0, 0.012)
  for (let n = 0; n < 10; n++) many.add(minute, 0.8)
  const { p50, p95 } = many.at(minute)
  assert.closeTo(p50 ?? 0, 0.01 + (0.015 * 50) / 90, 1e-9)
  assert.closeTo(p95 ?? 0, 0.75, 1e-9)

  const slow = new RecentCalls()
  slow.add(0, 90)
  assert.strictEqual(slow.at(0).p95, 90)
})
