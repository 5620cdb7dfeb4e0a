import { type Act, actsOf, catalogue, limits, writing } from "./Act.ts"

/** The Load Balancer API, whose sections are anchors of one page. */
const { act, never } = actsOf("load-balancer", "https://docs.openstack.org/api-ref/load-balancer/v2/#")

const appliances = "the appliances that carry the traffic are the platform's"

/**
 * As clients spell it. A repeated parameter has to be true each time, because it is unknown which value the service
 * takes.
 */
const isAdditive = (query: URLSearchParams): boolean => {
  const values = query.getAll("additive_only")
  return values.length > 0 && values.every((_) => _ === "true" || _ === "True")
}

export const balancing: ReadonlyArray<Act> = [
  {
    ...act(
      "destroys",
      ["PUT", "PATCH"],
      "lbaas/pools/*/members",
      "members that the list lacks are deleted, unless additive_only=true",
      "batch-update-members"
    ),
    inQuery: (query) => !isAdditive(query)
  },
  never("lbaas/loadbalancers/*/failover/**", appliances, "failover-a-load-balancer", writing),
  never("octavia/**", appliances, "amphora"),
  never("lbaas/flavors/**", catalogue, "flavors", writing),
  never("lbaas/flavorprofiles/**", "profiles hold what the providers are told", "flavor-profiles"),
  never("lbaas/availabilityzones/**", catalogue, "availability-zones", writing),
  never("lbaas/availabilityzoneprofiles/**", "profiles hold what the providers are told", "availability-zone-profiles"),
  never("lbaas/quotas/**", limits, "quotas", writing)
]
