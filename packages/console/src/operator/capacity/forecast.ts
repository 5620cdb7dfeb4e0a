import type { PaceRow } from "../common/types.ts"

const day = 86_400

/** How far the curve goes where the budget is not used up sooner, in days. */
const horizon = { usual: 90, longest: 1095 } as const

export interface Forecast {
  readonly times: ReadonlyArray<number>
  readonly values: ReadonlyArray<number>
}

/** The straight line of the present pace, a little beyond the day on which the budget is used up. */
export const forecastOf = ({ allocated, exhausted_at, per_day }: PaceRow, now: number): Forecast => {
  const start = Math.floor(now / 1000)
  const untilEnd = exhausted_at === null ? horizon.usual : (new Date(exhausted_at).getTime() - now) / 1000 / day
  const days = Math.min(horizon.longest, Math.max(7, Math.ceil(untilEnd * 1.15)))
  const points = Array.from({ length: 61 }, (_, at) => (days * at) / 60)
  return {
    times: points.map((_) => start + Math.round(_ * day)),
    values: points.map((_) => Math.max(0, allocated + per_day * _))
  }
}
