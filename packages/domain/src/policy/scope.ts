import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"

/**
 * The project whose units and policies a call is about: the caller's own, or
 * for a platform administrator the one that the call names.
 *
 * Errors: 404 for a project that is not the caller's, or does not exist; 409
 * when an administrator names none.
 */
export const projectOf = Effect.fnUntraced(function* (caller: Caller, named: string | undefined) {
  if (caller.tenant !== null) {
    const { projectId } = caller.tenant
    return named === undefined || named === projectId ? projectId : yield* NotFound.tenant(named)
  }
  if (named === undefined || !caller.admin) return yield* Conflict.tenantRequired()
  const tenant = yield* (yield* Tenants).find(named)
  return tenant?.project_id ?? (yield* NotFound.tenant(named))
})

/**
 * {@link projectOf} for a change, which is reserved to the account's owners and
 * customer-admins and to platform administrators. A machine has no role.
 *
 * Errors: 403 naming the roles; then those of {@link projectOf}.
 */
export const projectToChange = Effect.fnUntraced(function* (caller: Caller, named: string | undefined) {
  if (!caller.admin && caller.role !== "customer-owner" && caller.role !== "customer-admin") {
    return yield* Forbidden.policyRole()
  }
  return yield* projectOf(caller, named)
})
