import { Forbidden, NotFound, Unavailable } from "@portico/contract/Failures"
import { Tier } from "@portico/contract/Tiers"
import { Tenants } from "@portico/store/Tenants"
import { Keystone, suspendedTag, tierTag } from "@portico/upstream/keystone/Keystone"
import { Effect } from "effect"

/**
 * A tenant's tier, and whether the tenant is suspended: from the gateway's table, or from the
 * project's tags for a project that the gateway did not onboard.
 *
 * Errors: 404 for a project without a tier; 503 when it cannot be read.
 */
export const tierOf = Effect.fn("tenants.tierOf")(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant !== undefined) return { tier: tenant.tier, suspended: tenant.suspended }
  const project = yield* Effect.catchTag((yield* Keystone).getProject(projectId), "UpstreamError", () =>
    Unavailable.tierUnreadable()
  )
  const tier = Tier.literals.find((_) => project?.tags.includes(tierTag(_)))
  if (project === undefined || tier === undefined) return yield* NotFound.tenant(projectId)
  return { tier, suspended: project.tags.includes(suspendedTag) }
})

/**
 * 403 in a suspended tenant, for a call that only sometimes creates or enlarges something; the
 * caller runs it before it does so. Calls that always create are rejected earlier.
 */
export const notSuspended = Effect.fnUntraced(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant !== undefined && tenant.suspended) return yield* Forbidden.tenantSuspended()
})
