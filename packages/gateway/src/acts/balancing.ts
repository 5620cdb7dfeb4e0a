import { type Act, every, writing } from "./Act.ts"

/** The Load Balancer API, whose sections are anchors of one page. */
const reference = "https://docs.openstack.org/api-ref/load-balancer/v2/"

const catalogue = "the catalogue is the same for all tenants"
const appliances = "the appliances that carry the traffic are the platform's"

const never = (path: string, why: string, anchor: string, methods: Act["methods"] = every): Act => ({
  service: "load-balancer",
  methods,
  path,
  decision: "never",
  why,
  source: `${reference}#${anchor}`
})

/** As clients spell it. Of a parameter that is there twice nobody knows which one counts. */
const isAdditive = (query: URLSearchParams): boolean => {
  const said = query.getAll("additive_only")
  return said.length > 0 && said.every((_) => _ === "true" || _ === "True")
}

export const balancing: ReadonlyArray<Act> = [
  {
    service: "load-balancer",
    methods: ["PUT", "PATCH"],
    path: "lbaas/pools/*/members",
    decision: "destroys",
    inQuery: (query) => !isAdditive(query),
    why: "members that the list lacks are deleted, unless additive_only=true",
    source: `${reference}#batch-update-members`
  },
  never("lbaas/loadbalancers/*/failover/**", appliances, "failover-a-load-balancer", writing),
  never("octavia/**", appliances, "amphora"),
  never("lbaas/flavors/**", catalogue, "flavors", writing),
  never("lbaas/flavorprofiles/**", "profiles hold what the providers are told", "flavor-profiles"),
  never("lbaas/availabilityzones/**", catalogue, "availability-zones", writing),
  never("lbaas/availabilityzoneprofiles/**", "profiles hold what the providers are told", "availability-zone-profiles"),
  never("lbaas/quotas/**", "the limits of a tenant are set by the platform, from its tier", "quotas", writing)
]
