/** Collections below `lbaas`. */
const collections: ReadonlySet<string> = new Set([
  "loadbalancers",
  "listeners",
  "pools",
  "healthmonitors",
  "l7policies",
  "quotas",
  "providers",
  "flavors",
  "flavorprofiles",
  "availabilityzones",
  "availabilityzoneprofiles"
])

/**
 * Whether a path of the load balancer service has its documented form. Octavia ignores all segments between its
 * version and a collection, so `x/y/loadbalancers` and `loadbalancers` are the same to it, and the gateway could not
 * tell what a call does.
 *
 * @param segments path segments below the version
 */
export const isBalancingPath = ([root, collection]: ReadonlyArray<string>): boolean =>
  root === undefined ||
  (root === "lbaas" && (collection === undefined || collections.has(collection))) ||
  (root === "octavia" && (collection === undefined || collection === "amphorae"))
