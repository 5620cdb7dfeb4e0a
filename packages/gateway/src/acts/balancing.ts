import { type Act, actsOf, bodied, catalogue, limits, writing } from "./Act.ts"
import { sets } from "./reading.ts"

/** The Load Balancer API, whose sections are anchors of one page. */
const { act, never, on } = actsOf("load-balancer", "https://docs.openstack.org/api-ref/load-balancer/v2/#")

const appliances = "the appliances that carry the traffic are the platform's"

/**
 * As clients spell it. A repeated parameter has to be true each time, because it is unknown which value the service
 * takes.
 */
const isAdditive = (query: URLSearchParams): boolean => {
  const values = query.getAll("additive_only")
  return values.length > 0 && values.every((_) => _ === "true" || _ === "True")
}

const secrets: ReadonlySet<string> = new Set([
  "ca_tls_container_ref",
  "client_ca_tls_container_ref",
  "client_crl_container_ref",
  "crl_container_ref",
  "default_tls_container_ref",
  "sni_container_refs",
  "tls_container_ref"
])

/** The port of an address that the load balancer makes itself is a part of it. */
const ports: ReadonlySet<string> = new Set(["vip_port_id"])

export const balancing: ReadonlyArray<Act> = [
  ...["loadbalancers", "listeners", "pools"].map((_) =>
    on({ "key-manager": 0 }, `lbaas/${_}/**`, "it reads secrets with the caller's rights", _, bodied, (body) =>
      sets(body, secrets)
    )
  ),
  on(
    { network: 1 },
    "lbaas/loadbalancers/**",
    "it takes a port that exists",
    "create-a-load-balancer",
    bodied,
    (body) => sets(body, ports)
  ),
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
