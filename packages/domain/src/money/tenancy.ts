import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { Tenants } from "@portico/store/Tenants"
import type { Scope } from "@portico/upstream/billing/Billing"
import { Effect } from "effect"
import type { Plane } from "../health/readiness.ts"

/** The tenant that a billing call is about. */
export interface Tenancy {
  readonly projectId: string
  readonly name: string
}

/**
 * The caller's own tenant, or for a platform administrator the one in
 * `?project=`. Any other caller who sends `?project=` gets the same refusal
 * whether or not the project exists.
 *
 * Errors: 403; 404 for an administrator who names an unknown tenant; 409 for a
 * caller who has no tenant and names none.
 */
export const tenantOf = Effect.fnUntraced(function* (caller: Caller, override: string | undefined) {
  if (override !== undefined && !caller.admin) return yield* Forbidden.projectOverride()
  if (override === undefined) {
    if (caller.tenant === null) return yield* Conflict.tenantRequired()
    return { projectId: caller.tenant.projectId, name: caller.tenant.name } satisfies Tenancy
  }
  const tenant = yield* (yield* Tenants).find(override)
  if (tenant === undefined) return yield* NotFound.tenant(override)
  return { projectId: tenant.project_id, name: tenant.name } satisfies Tenancy
})

/** {@link tenantOf}; all tenants for an administrator on the operator plane who names none. */
export const scopeOf = Effect.fnUntraced(function* (caller: Caller, override: string | undefined, plane: Plane) {
  if (override === undefined && caller.admin && plane === "operator") return "all" as const
  return yield* tenantOf(caller, override)
})

export const filterOf = (scope: Tenancy | "all"): Scope => (scope === "all" ? "all" : { projectId: scope.projectId })

/** Looks up the tenant's name of each row. The name of a deleted tenant is empty. */
export const namesIn = Effect.fnUntraced(function* (
  scope: Tenancy | "all",
  rows: ReadonlyArray<{ readonly project_id: string }>
) {
  if (scope !== "all") return () => scope.name
  const tenants = yield* Tenants
  const ids = [...new Set(rows.map((_) => _.project_id))]
  const found = yield* Effect.forEach(ids, (_) => tenants.find(_), { concurrency: 10 })
  const names = new Map(found.flatMap((_) => (_ === undefined ? [] : [[_.project_id, _.name] as const])))
  return (projectId: string) => names.get(projectId) ?? ""
})
