import { useQuery } from "@tanstack/react-query"
import { portico } from "../api/portico.ts"

/** What the month had cost by a moment. */
export interface Spent {
  /** Seconds since the epoch. */
  readonly at: number
  readonly cents: number
}

const day = 86_400
const most = 6

const secondsOf = (text: string): number => Math.floor(new Date(text).getTime() / 1000)

/** Midnights between the beginning of the month and now, evenly spread: at most six. */
export const midnightsOf = (start: number, now: number): ReadonlyArray<number> => {
  const days = Math.floor((now - start) / day)
  const step = Math.max(1, Math.ceil(days / most))
  return Array.from({ length: Math.floor(days / step) }, (_, index) => start + (index + 1) * step * day).filter(
    (_) => _ < now
  )
}

const spentBy = async (start: string, at: number, signal: AbortSignal): Promise<Spent> => {
  const end = new Date(at * 1000).toISOString()
  const { total_cents } = await portico.money.breakdown({ start, end }, { signal })
  return { at, cents: total_cents }
}

interface Month {
  readonly period: { readonly start: string; readonly end: string }
  readonly elapsed_seconds: number
  readonly month_to_date_cents: number
  readonly forecast_cents: number
}

/** The way of the month's costs until now. The past changes little, so that it is asked for seldom. */
export const useSpending = (month: Month | undefined) => {
  const start = month?.period.start ?? ""
  const today = month === undefined ? 0 : Math.floor(month.elapsed_seconds / day)
  const { data = [] } = useQuery({
    queryKey: ["money.breakdown", "until each day", start, today],
    queryFn: ({ signal }) => {
      const from = secondsOf(start)
      const midnights = midnightsOf(from, from + (month?.elapsed_seconds ?? 0))
      return Promise.all(midnights.map((at) => spentBy(start, at, signal)))
    },
    enabled: month !== undefined,
    staleTime: 30 * 60_000
  })
  return month === undefined ? undefined : curveOf(month, data)
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
