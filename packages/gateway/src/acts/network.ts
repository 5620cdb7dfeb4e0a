import { isFalsy, memberOf, objectsFor, sets, valuesOf } from "./reading.ts"
import { type Act, actsOf, bodied, catalogue, limits, writing } from "./Act.ts"

/** The Networking API, whose sections are anchors of one page. */
const { act, never, on } = actsOf("network", "https://docs.openstack.org/api-ref/network/v2/#")

const hosts = "on which host a port is bound, and how, is for compute to say"

/** Empty values have the same effect as the default. */
const bindsPort = (body: unknown): boolean =>
  objectsFor(body, "port").some((_) => !isFalsy(_["binding:profile"]) || !isFalsy(_["binding:host_id"]))

const published =
  "the network service writes the reverse names of its addresses with rights of its own, whosever the addresses are"

const publishesAddresses = (body: unknown): boolean =>
  objectsFor(body, "subnet").some((_) => !isFalsy(_["dns_publish_fixed_ip"]))

const domains = "with a domain the network service writes records of its addresses into a zone"
const names: ReadonlySet<string> = new Set(["dns_domain", "dns_name", "dns_publish_fixed_ip"])

/** An empty text detaches the port from its device. */
const givesToDevice = (body: unknown): boolean => objectsFor(body, "port").some((_) => !isFalsy(_["device_id"]))

/**
 * Apart from ports that are given to a device or a router, no PUT of the network service destroys: what a PUT takes from
 * a router, a trunk, a group or a policy can be added again, and routes, tags, prefixes and addresses are attributes,
 * which an update replaces.
 */
export const network: ReadonlyArray<Act> = [
  ...["networks", "subnets", "ports", "floatingips"].flatMap((_) => [
    on({ dns: "as called" }, `${_}/**`, domains, "dns-integration", ["POST"], (body) => sets(body, names)),
    on({ dns: "as called" }, `${_}/**`, domains, "dns-integration", ["PUT", "PATCH"], (body) => sets(body, names)),
    on({ dns: 2 }, `${_}/**`, "without a name its record goes", "dns-integration", ["PUT", "PATCH"], (body) =>
      valuesOf(body, names).some(isFalsy)
    )
  ]),
  on(
    { "load-balancer": "as called" },
    "lbaas/**",
    "the network service passes it on",
    "load-balancer-as-a-service-2-0-deprecated"
  ),
  { ...never("ports/**", hosts, "create-port", bodied), inBody: bindsPort },
  {
    // Nova finds a server's ports by their device (nova/network/neutron.py, deallocate_for_instance), and an
    // autoscaling group deletes its servers for a caller of tier 1. A new port holds nothing yet.
    ...act(
      "destroys",
      ["PUT", "PATCH"],
      "ports/**",
      "compute deletes the port with the server whose id it has, even a port that it did not create",
      "update-port"
    ),
    inBody: givesToDevice,
    field: "device_id"
  },
  {
    // neutron/db/l3_db.py, _remove_interface_by_port. The interface of a subnet is a port that the router made itself.
    ...act(
      "destroys",
      ["PUT"],
      "routers/*/add_router_interface/**",
      "the network service deletes the port when the router releases it, even a port that the router did not create",
      "add-interface-to-router"
    ),
    inBody: (body) => !isFalsy(memberOf(body, "port_id")),
    field: "port_id"
  },
  never("ports/*/bindings/**", hosts, "port-binding"),
  { ...never("subnets/**", published, "create-subnet", bodied), inBody: publishesAddresses },
  // The target project does not consent. Every client, and the onboarding of further tenants, treats an external
  // network as one of its own.
  never(
    "rbac_policies/**",
    "what is shared appears among another project's own without its consent",
    "create-rbac-policy",
    bodied
  ),
  never("agents/**", "the agents are the platform's", "networking-agents", writing),
  never("network_segment_ranges/**", "the ranges are the physical network's", "network-segment-ranges"),
  never("segments/**", "segments are the physical network's", "segments", writing),
  never("bgp-speakers/**", "the speakers tell the platform's routers where networks are", "bgp-speakers", writing),
  never("bgp-peers/**", "the peers are the platform's routers", "bgp-peers", writing),
  never("quotas/**", limits, "quotas-extension-quotas", writing),
  never("flavors/**", catalogue, "networking-flavors-framework-v2-0-current-flavor-service-profile", writing),
  never("service_profiles/**", catalogue, "networking-flavors-framework-v2-0-current-flavor-service-profile", writing)
]
