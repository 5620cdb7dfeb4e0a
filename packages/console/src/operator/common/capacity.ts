import type { operator } from "../portico.ts"

export type Capacity = Awaited<ReturnType<typeof operator.signups.capacity>>
export type Admission = Capacity["tiers"][number]
export type AdmissionRow = Admission["dimensions"][number]
export type Dimension = AdmissionRow["dimension"]
export type Tier = Admission["tier"]
export type PaceRow = Capacity["pace"]["dimensions"][number]

export const tierNames: ReadonlyArray<Tier> = ["discovery", "standard", "extension"]

/** What one tenant of a tier takes of a dimension. */
const takenBy = ({ tiers }: Capacity, tier: Tier, dimension: AdmissionRow["dimension"]): number =>
  tiers.find((_) => _.tier === tier)?.dimensions.find((_) => _.dimension === dimension)?.requested ?? 0

/** The budget before and after a move: the tenant's present share is given back. A dimension that does not grow refuses nothing. */
export const moveNumbers = (capacity: Capacity, from: Tier, to: Tier): Admission | undefined => {
  const target = capacity.tiers.find((_) => _.tier === to)
  if (target === undefined) return undefined
  const rows = target.dimensions.map((row) => {
    const added = row.requested - takenBy(capacity, from, row.dimension)
    return { ...row, requested: added, remaining_after: row.remaining - added }
  })
  return {
    tier: to,
    admitted: rows.every(({ remaining_after, requested }) => requested <= 0 || remaining_after >= 0),
    dimensions: rows
  }
}

const day = 86_400

/** How far the curve goes where the budget is not used up sooner, in days. */
const horizon = { usual: 90, longest: 1095 } as const

interface Forecast {
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
