import { assert, describe, it } from "@effect/vitest"
import { type Capacity, forecastOf, moveNumbers, type Tier } from "../../src/operator/common/capacity.ts"

const cores = (tier: Tier, requested: number) => ({
  tier,
  admitted: true,
  dimensions: [
    { dimension: "cores" as const, requested, used: 90, limit: 100, remaining: 10, remaining_after: 10 - requested }
  ]
})

const capacity: Capacity = {
  tenants: { discovery: 1, standard: 1, extension: 0 },
  tiers: [cores("discovery", 8), cores("standard", 32)],
  pace: { days: 30, dimensions: [] }
}

describe("the budget of a move", () => {
  it("gives the present tier's share back", () => {
    const numbers = moveNumbers(capacity, "discovery", "standard")
    assert.strictEqual(numbers?.dimensions[0]?.requested, 24)
    assert.strictEqual(numbers?.dimensions[0]?.remaining_after, -14)
    assert.isFalse(numbers?.admitted)
  })
  it("is never refused for a smaller tier", () => {
    const numbers = moveNumbers(capacity, "standard", "discovery")
    assert.strictEqual(numbers?.dimensions[0]?.remaining_after, 34)
    assert.isTrue(numbers?.admitted)
  })
})

describe("the forecast", () => {
  it("reaches a little beyond the day on which the budget is used up", () => {
    const row = {
      dimension: "cores" as const,
      allocated: 40,
      limit: 100,
      per_day: 2,
      exhausted_at: "2026-01-31T00:00:00Z"
    }
    const now = new Date("2026-01-01T00:00:00Z").getTime()
    const { times, values } = forecastOf(row, now)
    assert.strictEqual(values[0], 40)
    assert.strictEqual(times.at(-1), now / 1000 + 35 * 86_400)
    assert.strictEqual(values.at(-1), 110)
  })
})
