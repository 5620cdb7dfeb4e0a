import type { operator } from "../portico.ts"

export type Tenant = Awaited<ReturnType<typeof operator.tenants.list>>["tenants"][number]
export type Project = Awaited<ReturnType<typeof operator.projects.show>>
export type Drift = Awaited<ReturnType<typeof operator.drift.show>>["tenants"][number]

/** What changes with a tenant's quotas. */
export const touched = ["projects", "quotas", "drift", "signups", "monitoring"] as const
