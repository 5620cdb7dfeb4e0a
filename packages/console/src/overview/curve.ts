/** What the month had cost by a moment. */
export interface Spent {
  /** Seconds since the epoch. */
  readonly at: number
  readonly cents: number
}

export const day = 86_400
const most = 6

export const secondsOf = (text: string): number => Math.floor(new Date(text).getTime() / 1000)

/** Midnights between the beginning of the month and now, evenly spread: at most six. */
export const midnightsOf = (start: number, now: number): ReadonlyArray<number> => {
  const days = Math.floor((now - start) / day)
  const step = Math.max(1, Math.ceil(days / most))
  return Array.from({ length: Math.floor(days / step) }, (_, index) => start + (index + 1) * step * day).filter(
    (_) => _ < now
  )
}

export interface Month {
  readonly period: { readonly start: string; readonly end: string }
  readonly elapsed_seconds: number
  readonly month_to_date_cents: number
  readonly forecast_cents: number
}

/** What was spent, and a line from there to what is expected at the end. */
export const curveOf = (month: Month, measured: ReadonlyArray<Spent>) => {
  const { elapsed_seconds, forecast_cents, month_to_date_cents, period } = month
  const from = secondsOf(period.start)
  const now = from + elapsed_seconds
  const past = [{ at: from, cents: 0 }, ...measured, { at: now, cents: month_to_date_cents }]
  return {
    times: [...past.map((_) => _.at), secondsOf(period.end)],
    spent: [...past.map((_) => _.cents / 100), null],
    expected: [...past.slice(1).map(() => null), month_to_date_cents / 100, forecast_cents / 100]
  }
}
