import { assert, describe, it } from "@effect/vitest"
import { eurosIn, halfEven } from "@portico/domain/money/euros"
import { forecastOf } from "@portico/domain/money/forecast"
import { monthBefore, monthNamed, monthOf } from "@portico/domain/money/months"
import * as fc from "fast-check"

const at = (iso: string): number => Date.parse(iso)

const cents = fc.integer({ min: 0, max: 10_000_000_000 })

/** From 1970 to 2999, to the millisecond. */
const moments = fc.integer({ min: 0, max: at("2999-12-31T23:59:59.999Z") })

describe("halfEven", () => {
  it("rounds to the nearest, and a half to the even one", () => {
    const halves = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n].map((_) => halfEven(_, 2n))
    assert.deepStrictEqual(halves, [0n, 0n, 1n, 2n, 2n, 2n, 3n, 4n])
    const quarters = [1n, 2n, 3n, 5n, 6n, 7n].map((_) => halfEven(_, 4n))
    assert.deepStrictEqual(quarters, [0n, 0n, 1n, 1n, 2n, 2n])
    assert.deepStrictEqual(
      [-1n, -2n, -3n, -5n].map((_) => halfEven(_, 2n)),
      [0n, -1n, -2n, -2n]
    )
  })

  it("is never further than half from the quotient, and then even", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 40n), 10n ** 40n), fc.bigInt(1n, 10n ** 20n), (dividend, divisor) => {
        const rounded = halfEven(dividend, divisor)
        const off = 2n * (dividend - rounded * divisor)
        const distance = off < 0n ? -off : off
        assert.isTrue(distance < divisor || (distance === divisor && rounded % 2n === 0n))
      })
    )
  })
})

describe("a month", () => {
  it("is a calendar month in UTC", () => {
    for (const [moment, name, days] of [
      ["2026-01-01T00:00:00.000Z", "2026-01", 31],
      ["2026-01-31T23:59:59.999Z", "2026-01", 31],
      ["2026-02-01T00:00:00.000Z", "2026-02", 28],
      ["2028-02-29T12:00:00.000Z", "2028-02", 29],
      ["2000-02-29T12:00:00.000Z", "2000-02", 29],
      ["2100-02-28T23:59:59.999Z", "2100-02", 28],
      ["2026-12-31T23:59:59.999Z", "2026-12", 31],
      ["1970-01-01T00:00:00.000Z", "1970-01", 31]
    ] as const) {
      const month = monthOf(at(moment))
      assert.deepStrictEqual([month.name, (month.end - month.start) / 86_400_000], [name, days], moment)
      assert.deepStrictEqual(monthNamed(name), month)
    }
    assert.strictEqual(monthBefore(monthNamed("2026-01")).name, "2025-12")
  })

  it("has each moment in exactly one, which ends where the next begins", () => {
    fc.assert(
      fc.property(moments, (moment) => {
        const month = monthOf(moment)
        assert.isTrue(month.start <= moment && moment < month.end)
        assert.deepStrictEqual(monthOf(month.end - 1), month)
        assert.deepStrictEqual(monthBefore(monthOf(month.end)), month)
      })
    )
  })
})

describe("the forecast", () => {
  it("is the spent amount, times the month's seconds, divided by the elapsed ones", () => {
    assert.deepStrictEqual(forecastOf(1234, at("2026-01-11T00:00:00.000Z")), {
      currency: "EUR",
      period: { start: "2026-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000Z" },
      period_seconds: 2_678_400,
      elapsed_seconds: 864_000,
      month_to_date_cents: 1234,
      month_to_date_eur: 12.34,
      forecast_cents: 3825,
      forecast_eur: 38.25,
      method: "linear-run-rate",
      method_detail:
        "Month-to-date spend of 12.34 EUR times 2678400 seconds in the month, divided by 864000 seconds elapsed, " +
        "rounded half to even to the cent."
    })
  })

  for (const [what, spent, moment, elapsed, forecast] of [
    ["at the first moment", 0, "2026-03-01T00:00:00.000Z", 0, 0],
    ["within the first second, of what cannot be", 7, "2026-03-01T00:00:00.999Z", 0, 7],
    ["after one second", 1, "2026-03-01T00:00:01.000Z", 1, 2_678_400],
    ["in the middle, between two even ones", 1, "2026-04-16T00:00:00.000Z", 1_296_000, 2],
    ["of half a cent, down to the even one", 1, "2026-04-21T00:00:00.000Z", 1_728_000, 2],
    ["of half a cent, up to the even one", 1, "2027-02-08T00:00:00.000Z", 604_800, 4],
    ["of one and a half", 3, "2026-04-16T00:00:00.000Z", 1_296_000, 6],
    ["at the last second", 500_000, "2026-12-31T23:59:59.999Z", 2_678_399, 500_000],
    ["in February", 100, "2026-02-15T00:00:00.000Z", 1_209_600, 200],
    ["in February of a leap year", 100, "2028-02-15T00:00:00.000Z", 1_209_600, 207],
    ["of more than any number holds", Number.MAX_SAFE_INTEGER, "2026-03-01T00:00:01.000Z", 1, Number.MAX_SAFE_INTEGER]
  ] as const) {
    it(`${what} is ${forecast}`, () => {
      const found = forecastOf(spent, at(moment))
      assert.deepStrictEqual([found.elapsed_seconds, found.forecast_cents], [elapsed, forecast])
    })
  }

  it("is early while no second has elapsed", () => {
    const { method_detail } = forecastOf(5, at("2026-03-01T00:00:00.500Z"))
    assert.strictEqual(method_detail, "The month has only begun: the forecast is the month-to-date spend of 0.05 EUR.")
  })

  it("is exact to the half cent, is whole, and is never below the spent amount", () => {
    fc.assert(
      fc.property(cents, moments, (spent, moment) => {
        const { elapsed_seconds, forecast_cents, forecast_eur, period_seconds } = forecastOf(spent, moment)
        assert.isTrue(Number.isSafeInteger(forecast_cents) && forecast_cents >= spent)
        assert.isTrue(0 <= elapsed_seconds && elapsed_seconds < period_seconds)
        assert.strictEqual(forecast_eur, forecast_cents / 100)
        if (elapsed_seconds === 0 || forecast_cents === Number.MAX_SAFE_INTEGER) return
        const off = BigInt(spent) * BigInt(period_seconds) - BigInt(forecast_cents) * BigInt(elapsed_seconds)
        assert.isTrue(2n * (off < 0n ? -off : off) <= BigInt(elapsed_seconds))
      })
    )
  })

  it("of a constant spend is the same all month", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), moments, (perSecond, moment) => {
        const { elapsed_seconds, period_seconds } = forecastOf(0, moment)
        if (elapsed_seconds === 0) return
        assert.strictEqual(forecastOf(perSecond * elapsed_seconds, moment).forecast_cents, perSecond * period_seconds)
      })
    )
  })
})

it("an amount is written with two places", () => {
  assert.deepStrictEqual([0, 5, 50, 100, 123_456].map(eurosIn), [
    "0.00 EUR",
    "0.05 EUR",
    "0.50 EUR",
    "1.00 EUR",
    "1234.56 EUR"
  ])
})
