import { Conflict, NotFound } from "@portico/contract/Failures"
import type { TierMoved } from "@portico/contract/Tenants"
import { serviceQuotas, type Tier } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { admit } from "./admission.ts"
import { changing } from "./change.ts"
import { toWire } from "./list.ts"
import { writeQuotas } from "./writeQuotas.ts"

/**
 * Moves a tenant to a tier. A move to the tenant's own tier repairs its quotas,
 * and any move ends a suspension. This is not a saga: the order is fixed, and
 * every write may be repeated.
 *
 * Errors: 404 for an unknown tenant; 409 when the budget is full, another
 * change of this tenant runs, or it is being deleted or closed; 502 with what
 * was applied and whether it may pass.
 */
export const moveTier = Effect.fn("tenants.moveTier")(function* (projectId: string, tier: Tier) {
  const tenants = yield* Tenants
  const tenant = yield* tenants.find(projectId)
  if (tenant === undefined) return yield* NotFound.tenant(projectId)
  if (tenant.closing.length > 0) return yield* Conflict.closing()

  const move = Effect.gen(function* () {
    const { numbers, reserved: lease } = yield* admit({ tier, project: projectId }, beginChange(projectId, tier)).pipe(
      Effect.catchTag("UpstreamError", badGateway)
    )
    // Read again under the lease: it may have been suspended since.
    const held = (yield* tenants.find(projectId)) ?? tenant
    const { applied, moved } = yield* changing(
      held,
      lease,
      { tier, suspended: false },
      writeQuotas(held, serviceQuotas(tier), { tier, suspended: false })
    )
    return { tenant: toWire(moved), applied, admission: numbers } satisfies TierMoved
  })
  return yield* (yield* RunToCompletion).run(move)
})

/** Runs inside the admission lock, so that the new tier counts from the moment of its admission. */
const beginChange = Effect.fnUntraced(function* (projectId: string, tier: Tier) {
  const lease = yield* (yield* Tenants).beginChange(projectId, tier)
  return lease ?? (yield* Conflict.tierMoveInProgress(projectId))
})
