import type { Repaired } from "@portico/contract/Drift"
import { Conflict, NotFound } from "@portico/contract/Failures"
import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { changing } from "../tenants/change.ts"
import { toWire } from "../tenants/list.ts"
import { writeQuotas } from "../tenants/writeQuotas.ts"

/**
 * Writes a tenant's quotas and tags again, from its tier in the table and the catalogue; zero for a
 * suspended tenant. The writes are those of a move to the same tier, or of a suspension, in the
 * same fixed order. No admission check is needed: the tenant was admitted to its tier, and gets no
 * more.
 *
 * Errors: 404 for an unknown tenant; 409 while its quotas are being changed, and for one that is
 * being deleted or closed; 502 with the applied writes and whether the failure is transient. A
 * second run repairs the rest.
 */
export const repair = Effect.fn("drift.repair")(function* (projectId: string) {
  const tenants = yield* Tenants
  const tenant = yield* tenants.find(projectId)
  if (tenant === undefined) return yield* NotFound.tenant(projectId)
  if (tenant.closing.length > 0) return yield* Conflict.closing()

  const write = Effect.gen(function* () {
    const lease = yield* tenants.beginChange(projectId, tenant.suspended ? "suspended" : tenant.tier)
    if (lease === undefined) return yield* Conflict.tierMoveInProgress(projectId)
    // Reads the tenant again under the lease: a move may have completed since, and must not be undone.
    const { suspended, tier } = (yield* tenants.find(projectId)) ?? tenant
    const quotas = suspended ? zeroQuotas : serviceQuotas(tier)
    const { applied, moved } = yield* changing(
      tenant,
      lease,
      { tier, suspended },
      writeQuotas(tenant, quotas, { tier, suspended })
    )
    return { tenant: toWire(moved), applied } satisfies Repaired
  })
  return yield* (yield* RunToCompletion).run(write)
})
