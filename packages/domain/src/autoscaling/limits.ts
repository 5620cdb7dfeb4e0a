import { Conflict } from "@portico/contract/Failures"
import { tiers } from "@portico/contract/Tiers"
import { Effect } from "effect"
import { tierOf } from "../ceilings/tenantTier.ts"

/** The most groups of a tenant: each is reconciled periodically. */
export const mostGroups = 20

/**
 * A group may want as many servers as the tier allows in total; Nova's quota decides what the
 * tenant's other servers leave of it.
 */
const ceilings = Effect.fnUntraced(function* (projectId: string) {
  const { suspended, tier } = yield* tierOf(projectId)
  return suspended ? { groups: 0, servers: 0 } : { groups: mostGroups, servers: tiers[tier].instances }
})

/**
 * Errors: 409 with the numbers; 404 and 503 as for the tier.
 *
 * @param held the current number of groups
 */
export const roomForGroup = Effect.fnUntraced(function* (projectId: string, held: number) {
  const { groups } = yield* ceilings(projectId)
  if (held + 1 > groups) {
    return yield* Conflict.ceilingReached("autoscaling groups", "", { requested: 1, used: held, limit: groups })
  }
})

/** Errors: 409 with the numbers; 404 and 503 as for the tier. */
export const roomForServers = Effect.fnUntraced(function* (projectId: string, max: number) {
  const { servers } = yield* ceilings(projectId)
  if (max > servers) {
    const numbers = { requested: max, used: 0, limit: servers }
    return yield* Conflict.ceilingReached("servers of one autoscaling group", "", numbers)
  }
})
