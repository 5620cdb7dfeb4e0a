import { assert, it } from "@effect/vitest"
import { isBalancingPath } from "@portico/gateway/proxy/balancing"

/** The collections of Octavia's API reference. */
const collections = [
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
]

it("each collection of the load balancers has one spelling", () => {
  for (const collection of collections) {
    assert.isTrue(isBalancingPath(["lbaas", collection]), collection)
    assert.isTrue(isBalancingPath(["lbaas", collection, "1", "members"]), collection)
    for (const other of [
      [collection],
      ["x", collection],
      ["LBAAS", collection],
      ["lbaas", "x", collection],
      ["lbaas", collection.toUpperCase()]
    ]) {
      assert.isFalse(isBalancingPath(other), other.join("/"))
    }
  }
})
