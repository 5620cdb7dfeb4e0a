import { Forbidden } from "@portico/contract/Failures"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"

/**
 * Before something is made, or made larger, by a call of which only a part does that: 403 in a suspended tenant. Calls
 * that always create do not get so far.
 */
export const notSuspended = Effect.fnUntraced(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  if (tenant !== undefined && tenant.suspended) return yield* Forbidden.tenantSuspended()
})
