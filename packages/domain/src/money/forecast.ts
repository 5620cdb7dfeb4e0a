import type { CostForecast } from "@portico/contract/Money"
import { eurosIn, eurosOf, halfEven } from "./euros.ts"
import { isoOf, monthOf } from "./months.ts"

/** The fields of a forecast that follow from the month's spend. */
export type Forecast = Omit<CostForecast, "project_id" | "tenant_name">

const largest = BigInt(Number.MAX_SAFE_INTEGER)

/** How much of the month has passed, in whole seconds. */
export const elapsedSeconds = (at: number): number => Math.floor((at - monthOf(at).start) / 1000)

/**
 * Extrapolates the running month linearly (contract, Cost): the spend, times
 * the seconds of the month, divided by the seconds elapsed, rounded once, half
 * to even, to the cent. Before the first second has elapsed, the forecast is
 * the spend itself.
 *
 * @param spentCents from the beginning of the month to `at`, in whole cents
 * @param at milliseconds since the epoch
 */
export const forecastOf = (spentCents: number, at: number): Forecast => {
  const month = monthOf(at)
  const period_seconds = (month.end - month.start) / 1000
  const elapsed_seconds = elapsedSeconds(at)
  const rate = BigInt(spentCents) * BigInt(period_seconds)
  const exact = elapsed_seconds === 0 ? BigInt(spentCents) : halfEven(rate, BigInt(elapsed_seconds))
  const forecast_cents = Number(exact > largest ? largest : exact)
  return {
    currency: "EUR",
    period: { start: isoOf(month.start), end: isoOf(month.end) },
    period_seconds,
    elapsed_seconds,
    month_to_date_cents: spentCents,
    month_to_date_eur: eurosOf(spentCents),
    forecast_cents,
    forecast_eur: eurosOf(forecast_cents),
    method: "linear-run-rate",
    method_detail:
      elapsed_seconds === 0
        ? `The month has only begun: the forecast is the month-to-date spend of ${eurosIn(spentCents)}.`
        : `Month-to-date spend of ${eurosIn(spentCents)} times ${period_seconds} seconds in the month, divided by ` +
          `${elapsed_seconds} seconds elapsed, rounded half to even to the cent.`
  }
}
