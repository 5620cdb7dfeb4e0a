import type { Admission, AdmissionRow, Capacity, Tier } from "./types.ts"

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
