import { Conflict, NotFound } from "@portico/contract/Failures"
import type { Suspended } from "@portico/contract/Tenants"
import { zeroQuotas } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { changing } from "./change.ts"
import { toWire } from "./list.ts"
import { writeQuotas } from "./writeQuotas.ts"

/**
 * Writes zero quotas: what runs keeps running, and nothing new can be made. The
 * tenant keeps its tier and its share of the budget; a move to a tier ends the
 * suspension. Block storage quotas stay at the usage.
 *
 * Errors: 404, 409 and 502 as in {@link moveTier}.
 */
export const suspend = Effect.fn("tenants.suspend")(function* (projectId: string) {
  const tenants = yield* Tenants
  const tenant = yield* tenants.find(projectId)
  if (tenant === undefined) return yield* NotFound.tenant(projectId)
  if (tenant.closing.length > 0) return yield* Conflict.closing()

  const zero = Effect.gen(function* () {
    const lease = yield* tenants.beginChange(projectId, "suspended")
    if (lease === undefined) return yield* Conflict.tierMoveInProgress(projectId)
    // Read again under the lease: a move may have ended since.
    const to = { tier: (yield* tenants.find(projectId))?.tier ?? tenant.tier, suspended: true }
    const { applied, moved } = yield* changing(tenant, lease, to, writeQuotas(tenant, zeroQuotas, to))
    return { tenant: toWire(moved), applied } satisfies Suspended
  })
  return yield* (yield* RunToCompletion).run(zero)
})
