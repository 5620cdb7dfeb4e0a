import { Result } from "effect"
import { json, originOf, type Routes } from "../Wire.ts"
import { refuse } from "./errors.ts"
import { call, param } from "./request.ts"

/** The loaded extensions, as far as they are simulated; the quota aliases are those of the 2025.1 release. */
const loaded: Readonly<Record<string, string>> = {
  "address-group": "Address group",
  "address-scope": "Address scope",
  "allowed-address-pairs": "Allowed Address Pairs",
  "auto-allocated-topology": "Auto Allocated Topology Services",
  availability_zone: "Availability Zone",
  binding: "Port Binding",
  default_quotas: "default quotas",
  "empty-string-filtering": "Empty String Filtering Extension",
  "ext-gw-mode": "Neutron L3 Configurable external gateway mode",
  "external-gateway-multihoming": "Neutron L3 External Gateway Multihoming",
  "external-net": "Neutron external network",
  extra_dhcp_opt: "Neutron Extra DHCP options",
  extraroute: "Neutron Extra Route",
  "filter-validation": "Filter parameters validation",
  "extraroute-atomic": "Atomically add/remove extra routes",
  "fip-port-details": "Floating IP Port Details Extension",
  "floating-ip-port-forwarding": "Floating IP Port Forwarding",
  "ip-substring-filtering": "IP address substring filtering",
  "net-mtu": "Network MTU",
  "net-mtu-writable": "Network MTU (writable)",
  network_availability_zone: "Network Availability Zone",
  pagination: "Pagination support",
  "port-security": "Port Security",
  "project-id": "project_id field enabled",
  "quota-check-limit": "Quota engine limit check",
  "quota-check-limit-default": "Quota engine limit check by default",
  quota_details: "Quota details management support",
  quotas: "Quota management support",
  "rbac-policies": "RBAC Policies",
  "revision-if-match": "If-Match constraints based on revision_number",
  router: "Neutron L3 Router",
  router_availability_zone: "Router Availability Zone",
  "security-group": "security-group",
  "security-groups-default-rules": "Default rules for security groups",
  "security-groups-normalized-cidr": "Normalized CIDR field for security group rules",
  "security-groups-rules-belongs-to-default-sg": "Security group rules belong to the default security group",
  "security-groups-remote-address-group": "Remote address group id field for security group rules",
  "service-type": "Neutron Service Type Management",
  sorting: "Sorting support",
  "standard-attr-description": "standard-attr-description",
  "standard-attr-revisions": "Resource revision numbers",
  "standard-attr-tag": "Tag support for resources with standard attribute",
  "standard-attr-timestamp": "Resource timestamps",
  subnet_allocation: "Subnet Allocation",
  "subnetpool-prefix-ops": "Subnet Pool Prefix Operations",
  trunk: "Trunk Extension",
  "trunk-details": "Trunk port details",
  "stateful-security-group": "Stateful security group"
}

const show = (alias: string) => ({
  alias,
  name: loaded[alias] ?? alias,
  description: loaded[alias] ?? alias,
  updated: "2025-04-02T10:00:00-00:00",
  links: []
})

/** What Neutron lists at `/v2.0/`, whatever else is loaded (neutron/pecan_wsgi/controllers/root.py). */
const core = ["network", "subnet", "subnetpool", "port"]

export const extensionRoutes: Routes = {
  "GET /v2.0": call(({ incoming }) =>
    Result.succeed(
      json(200, {
        resources: core.map((name) => ({
          name,
          collection: `${name}s`,
          links: [{ rel: "self", href: `${originOf(incoming)}/network/v2.0/${name}s` }]
        }))
      })
    )
  ),
  "GET /v2.0/extensions": call(() => Result.succeed(json(200, { extensions: Object.keys(loaded).map(show) }))),
  "GET /v2.0/extensions/:alias": call((request) => {
    const alias = param(request, "alias")
    return Object.hasOwn(loaded, alias)
      ? Result.succeed(json(200, { extension: show(alias) }))
      : refuse(404, "HTTPNotFound", `Extension with alias ${alias} does not exist`)
  })
}
