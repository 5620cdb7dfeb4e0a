import type { Caller, CallerTenant } from "@portico/contract/Access"
import { Conflict } from "@portico/contract/Failures"
import { Result } from "effect"

/**
 * What a caller can reach: its own tenant, or all tenants as a platform administrator on the
 * operator plane. A caller without a tenant that is not such an administrator reaches nothing.
 */
export type Reach = { readonly kind: "tenant"; readonly tenant: CallerTenant } | { readonly kind: "platform" }

const platform: Reach = { kind: "platform" }

/** 409 for a caller that has neither, such as an administrator on the customer plane. */
export const reachOf = ({ admin, tenant }: Caller): Result.Result<Reach, Conflict<"tenant_required">> => {
  if (tenant !== null) return Result.succeed({ kind: "tenant", tenant })
  return admin ? Result.succeed(platform) : Result.fail(Conflict.tenantRequired())
}

/** The project whose rows a caller sees in a list: undefined means every tenant's. */
export const listedProject = (caller: Caller): Result.Result<string | undefined, Conflict<"tenant_required">> =>
  Result.map(reachOf(caller), (reach) => (reach.kind === "tenant" ? reach.tenant.projectId : undefined))

/**
 * The project whose rows a caller finds by their ids; undefined for a platform administrator, who finds all. A look-up
 * for a caller names it, so that another tenant's id costs what an unknown one costs.
 */
export const projectOf = ({ admin, tenant }: Caller): string | undefined =>
  admin ? undefined : (tenant?.projectId ?? noProject)

/** No project has this id. */
const noProject = ""
