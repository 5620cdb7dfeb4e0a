import { useQuery } from "@tanstack/react-query"
import { portico } from "../api/portico.ts"
import { curveOf, day, midnightsOf, type Month, secondsOf, type Spent } from "./curve.ts"

const spentBy = async (start: string, at: number, signal: AbortSignal): Promise<Spent> => {
  const end = new Date(at * 1000).toISOString()
  const { total_cents } = await portico.money.breakdown({ start, end }, { signal })
  return { at, cents: total_cents }
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
