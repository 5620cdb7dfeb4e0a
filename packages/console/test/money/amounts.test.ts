import { assert, test } from "vitest"
import { centsOf, lastMonths } from "../../src/money/amounts.ts"
import { curveOf, midnightsOf } from "../../src/overview/curve.ts"

test("an amount is what people write, to the cent", () => {
  assert.deepStrictEqual(["250", "99.5", "99,05", "0.29"].map(centsOf), [25_000, 9950, 9905, 29])
  assert.deepStrictEqual(
    ["", "-1", "1.234", "1e3", "abc"].map(centsOf),
    Array.from({ length: 5 }, () => undefined)
  )
})

test("the months before January are those of the year before", () => {
  assert.deepStrictEqual(lastMonths(Date.UTC(2026, 0, 31), 3), ["2026-01", "2025-12", "2025-11"])
})

test("the costs of a month are measured at six past midnights at most", () => {
  const start = Date.UTC(2026, 0, 1) / 1000
  assert.deepStrictEqual(midnightsOf(start, start + 3600), [])
  const all = midnightsOf(start, start + 30 * 86_400 + 1)
  assert.strictEqual(all.length, 6)
  assert.isTrue(all.every((_) => _ % 86_400 === 0 && _ > start && _ < start + 30 * 86_400 + 1))
})

test("the line of what is expected begins where the measured one ends", () => {
  const month = {
    period: { start: "2026-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000Z" },
    elapsed_seconds: 86_400,
    month_to_date_cents: 100,
    forecast_cents: 3100
  }
  const { expected, spent, times } = curveOf(month, [])
  assert.deepStrictEqual(spent, [0, 1, null])
  assert.deepStrictEqual(expected, [null, 1, 31])
  assert.strictEqual(times.length, 3)
})
