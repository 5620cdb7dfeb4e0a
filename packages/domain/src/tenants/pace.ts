import type { AdmissionRow, Dimension } from "@portico/contract/Admission"
import type { Pace } from "@portico/contract/Signups"
import type { Tier } from "@portico/contract/Tiers"
import type { Sold } from "@portico/store/Tenants"
import { DateTime, Duration } from "effect"
import { amountsOf } from "./Budget.ts"

/** The time whose sales count. */
export const paceWindow = Duration.days(30)

/** A later end is no forecast. */
const furthest = Duration.days(36_500)

/**
 * How fast the budget is sold, and when it is used up, as a straight line.
 *
 * @param budget the rows of any tier: what is granted is the same in all of them
 * @param sold the sales within {@link paceWindow}
 */
export const paceOf = (budget: ReadonlyArray<AdmissionRow>, sold: Sold, now: DateTime.Utc): Pace => {
  const recorded = Duration.seconds(sold.recordedSeconds)
  const days = Duration.toDays(Duration.clamp(recorded, { minimum: Duration.days(1), maximum: paceWindow }))
  return {
    days: rounded(days),
    dimensions: budget.map(({ dimension, limit, remaining, used }) => {
      const perDay = takenOf(sold, dimension) / days
      return {
        dimension,
        allocated: used,
        limit,
        per_day: rounded(perDay),
        exhausted_at: exhaustedAt(remaining, perDay, now)
      }
    })
  }
}

/** What the sales took of a dimension, less what was given back. */
const takenOf = ({ changes }: Sold, dimension: Dimension): number => {
  const amount = (tier: Tier | null) => (tier === null ? 0 : amountsOf(tier)[dimension])
  return changes.reduce((sum, { became, count, was }) => sum + count * (amount(became) - amount(was)), 0)
}

const exhaustedAt = (remaining: number, perDay: number, now: DateTime.Utc): string | null => {
  if (remaining <= 0) return DateTime.formatIso(now)
  if (perDay <= 0) return null
  const left = remaining / perDay
  return left > Duration.toDays(furthest) ? null : DateTime.formatIso(DateTime.addDuration(now, Duration.days(left)))
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000
