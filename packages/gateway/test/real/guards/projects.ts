interface Listing {
  readonly service: string
  readonly path: string
  /** Under which the list stands in the answer. */
  readonly key: string
  /** OWN is the own project's id. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>> | undefined
}

const lists = [
  ["compute", "/servers/detail", "servers"],
  ["volume", "/volumes/detail", "volumes"],
  ["network", "/security-groups", "security_groups"],
  ["image", "/images", "images"],
  ["dns", "/zones", "zones"],
  ["load-balancer", "/lbaas/loadbalancers", "loadbalancers"]
] as const

const other = "0d7e5f1c9a3b4c588e216f4b7a90c2d3"

/** Queries that ask for more than the own project. */
export const queries: ReadonlyArray<Listing> = [
  "all_tenants=1",
  "all_tenants=True",
  "all_tenants",
  "all_tenants=",
  "ALL_TENANTS=1",
  "all%5Ftenants=1",
  "x=1;all_tenants=1",
  "all_tenants=0&all_tenants=1",
  "all_projects=1",
  `project_id=${other}`,
  `tenant_id=${other}`,
  `all_tenants=1&project_id=${other}`,
  "project_id=OWN",
  "project_id="
].flatMap((query) => lists.map(([service, path, key]) => ({ service, path, key, query, headers: undefined })))

/** Headers that claim to be somebody else. */
export const claims: ReadonlyArray<Listing> = [
  { "x-project-id": other },
  { x_project_id: other },
  { "x-tenant-id": other, "x-tenant-name": "admin" },
  { "x-roles": "admin", "x-role": "admin" },
  { "x-is-admin-project": "True" },
  { "x-auth-all-projects": "true" },
  { x_auth_all_projects: "true" },
  { "x-auth-sudo-project-id": other },
  { "openstack-system-scope": "all" },
  { "x-user-id": other, "x-identity-status": "Confirmed" },
  { "x-service-roles": "service", "x-service-identity-status": "Confirmed" }
].flatMap((headers) =>
  [lists[0], lists[2], lists[4]].map(([service, path, key]) => ({ service, path, key, query: "", headers }))
)
