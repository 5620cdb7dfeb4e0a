import { type Kind, type KindOf, type Try, asked, get, post, put, remove } from "./Kind.ts"
import type { Belongings } from "./Belongings.ts"

/** What all of Neutron's kinds have in common. */
const kind = (
  list: string,
  envelope: string,
  id: (a: Belongings) => string,
  options: {
    readonly queries?: (a: Belongings) => ReadonlyArray<string>
    readonly change?: object
    readonly tries?: (a: Belongings, b: Belongings, one: string) => ReadonlyArray<Try>
    /** Rules and policies have no name. */
    readonly nameless?: true
  }
): KindOf => {
  const { change = { name: "taken" }, nameless, queries = () => [], tries = () => [] } = options
  const wording = nameless ? { tells: true as const } : {}
  return (a, b): Kind => {
    const path = `/network/${list}`
    const one = `${path}/${id(a)}`
    const lists = asked(path, a, `id=${id(a)}`, `tenant_id=${a.projectId}`, ...queries(a))
    return {
      one,
      owned: [one, `${path}?project_id=${a.projectId}`],
      lists: nameless ? lists.filter((_) => !_.includes("?name=")) : lists,
      tries: [
        get(one, 404, wording),
        get(`${one}?fields=id`, 404, wording),
        put(one, 404, { [envelope]: change }, { tells: true }),
        put(one, 400, { [envelope]: { ...change, project_id: b.projectId } }),
        remove(one, 404, { tells: true }),
        post(path, 400, { [envelope]: { ...change, project_id: a.projectId } }),
        post(path, 400, { [envelope]: { ...change, tenant_id: a.projectId } }),
        ...tries(a, b, one)
      ]
    }
  }
}

/** B shares what is A's with itself. */
const sharing = (object_type: string, object_id: string, b: Belongings): Try =>
  post("/network/rbac-policies", 403, {
    rbac_policy: { object_type, object_id, action: "access_as_shared", target_tenant: b.projectId }
  })

export const network = {
  networks: kind("networks", "network", (_) => _.network, {
    queries: () => ["shared=false", "admin_state_up=true"],
    tries: (a, b, one) => [
      put(`${one}/tags/taken`, 404),
      get(`${one}/tags`, 404),
      post("/network/ports", 404, { port: { network_id: a.network } }),
      post("/network/subnets", 404, { subnet: { network_id: a.network, ip_version: 4, cidr: "10.9.9.0/24" } }),
      post("/network/floatingips", 404, { floatingip: { floating_network_id: a.network } }),
      sharing("network", a.network, b),
      get(`${one}/dhcp-agents`, 403)
    ]
  }),
  subnets: kind("subnets", "subnet", (_) => _.subnet, {
    queries: (a) => [`network_id=${a.network}`, "cidr=10.0.0.0/24"],
    tries: (a, b) => [
      put(`/network/routers/${b.router}/add_router_interface`, 404, { subnet_id: a.subnet }),
      post("/network/ports", 404, { port: { network_id: b.network, fixed_ips: [{ subnet_id: a.subnet }] } })
    ]
  }),
  routers: kind("routers", "router", (_) => _.router, {
    tries: (a, b, one) => [
      put(`${one}/add_router_interface`, 404, { subnet_id: b.subnet }),
      put(`${one}/remove_router_interface`, 404, { subnet_id: a.subnet }),
      put(`${one}/add_extraroutes`, 404, { router: { routes: [{ destination: "10.8.0.0/16", nexthop: "10.0.0.1" }] } }),
      get(`${one}/l3-agents`, 403)
    ]
  }),
  ports: kind("ports", "port", (_) => _.port, {
    queries: (a) => [
      `device_id=${a.server}`,
      `device_id=${a.router}`,
      `network_id=${a.network}`,
      `fixed_ips=subnet_id%3D${a.subnet}`,
      "fixed_ips=ip_address_substr%3D10.0"
    ],
    tries: (a, b) => [
      post("/network/ports", 404, { port: { network_id: b.network, security_groups: [a.securityGroup] } }),
      put(`/network/ports/${b.port}`, 404, { port: { security_groups: [a.securityGroup] } }),
      put(`/network/routers/${b.router}/add_router_interface`, 404, { port_id: a.port }),
      post("/network/trunks", 404, { trunk: { port_id: a.port } }),
      put(`/network/trunks/${b.trunk}/add_subports`, 404, {
        sub_ports: [{ port_id: a.port, segmentation_type: "vlan", segmentation_id: 7 }]
      })
    ]
  }),
  trunks: kind("trunks", "trunk", (_) => _.trunk, {
    tries: (_, b, one) => [
      get(`${one}/get_subports`, 404),
      put(`${one}/add_subports`, 404, {
        sub_ports: [{ port_id: b.port, segmentation_type: "vlan", segmentation_id: 7 }]
      })
    ]
  }),
  "floating IPs": kind("floatingips", "floatingip", (_) => _.floatingIp, {
    nameless: true,
    queries: (a) => [`floating_network_id=${a.external}`, `port_id=${a.port}`, `router_id=${a.router}`],
    change: { description: "taken" },
    tries: (a, b, one) => [
      put(one, 404, { floatingip: { port_id: null } }, { tells: true }),
      put(one, 404, { floatingip: { port_id: b.port } }, { tells: true }),
      post("/network/floatingips", 404, { floatingip: { floating_network_id: b.external, port_id: a.port } }),
      get(`${one}/port_forwardings`, 404),
      ...[one, one.replace("/network/", "/network/qos/")].map((_) =>
        post(`${_}/port_forwardings`, 404, {
          port_forwarding: {
            protocol: "tcp",
            external_port: 80,
            internal_port: 80,
            internal_port_id: b.parent,
            internal_ip_address: "10.0.0.9"
          }
        })
      )
    ]
  }),
  "security groups": kind("security-groups", "security_group", (_) => _.securityGroup, {
    queries: () => ["shared=true"],
    tries: (a, b) => {
      const rule = { security_group_id: a.securityGroup, direction: "ingress", protocol: "udp" }
      return [
        post("/network/security-group-rules", 404, { security_group_rule: rule }),
        post("/network/security-group-rules", 404, {
          security_group_rule: { ...rule, security_group_id: b.securityGroup, remote_group_id: a.securityGroup }
        }),
        post("/network/security-group-rules", 404, {
          security_group_rule: { ...rule, security_group_id: b.securityGroup, remote_address_group_id: a.addressGroup }
        }),
        sharing("security_group", a.securityGroup, b)
      ]
    }
  }),
  "security group rules": kind("security-group-rules", "security_group_rule", (_) => _.rule, {
    nameless: true,
    queries: (a) => [`security_group_id=${a.securityGroup}`, "port_range_min=5432"],
    change: { description: "taken" }
  }),
  "subnet pools": kind("subnetpools", "subnetpool", (_) => _.subnetPool, {
    tries: (a, b, one) => [
      post("/network/subnets", 404, { subnet: { network_id: b.network, ip_version: 4, subnetpool_id: a.subnetPool } }),
      put(`${one}/add_prefixes`, 404, { prefixes: ["10.78.0.0/16"] }),
      put(`${one}/onboard_network_subnets`, 404, { network_id: b.network })
    ]
  }),
  "address scopes": kind("address-scopes", "address_scope", (_) => _.addressScope, {
    tries: (a) => [
      post("/network/subnetpools", 404, {
        subnetpool: { name: "taken", prefixes: ["10.79.0.0/16"], address_scope_id: a.addressScope }
      })
    ]
  }),
  "address groups": kind("address-groups", "address_group", (_) => _.addressGroup, {
    tries: (_, __, one) => [put(`${one}/add_addresses`, 404, { addresses: ["10.9.2.0/24"] })]
  }),
  // No tenant makes or changes one: what it names appears in another project without its consent.
  "sharing policies": ((a, b) => {
    const path = "/network/rbac-policies"
    const one = `${path}/${a.policy}`
    const policy = { object_type: "network", object_id: b.network, target_tenant: a.projectId }
    return {
      one,
      owned: [one, `${path}?object_id=${a.network}`],
      lists: asked(path, a, `id=${a.policy}`, `object_id=${a.network}`, "object_type=network").filter(
        (_) => !_.includes("?name=")
      ),
      tries: [
        get(one, 404),
        put(one, 403, { rbac_policy: { target_tenant: b.projectId } }),
        remove(one, 404),
        post(path, 403, { rbac_policy: { ...policy, action: "access_as_shared" } }),
        post(path, 403, { rbac_policy: { ...policy, action: "access_as_external" } })
      ]
    }
  }) satisfies KindOf,
  "the external network": ((a) => {
    const tags = `/network/networks/${a.external}/tags`
    return {
      owned: [`/network/networks/${a.external}`],
      lists: [],
      tries: [
        put(tags, 403, { tags: ["told"] }),
        put(`${tags}/told`, 403),
        remove(tags, 403),
        remove(`${tags}/told`, 403),
        put(`/network/qos/networks/${a.external}/tags/told`, 403),
        remove(`/network/qos/networks/${a.external}/tags`, 403)
      ].map((_): Try => ({ ..._, tells: true }))
    }
  }) satisfies KindOf,
  quotas: ((a) => {
    const one = `/network/quotas/${a.projectId}`
    return {
      owned: [one, `${one}/details`],
      lists: [],
      tries: [
        get(one, 403),
        get(`${one}/details`, 403),
        get(`${one}/default`, 403),
        put(one, 403, { quota: { network: 0 } }),
        remove(one, 403),
        get("/network/quotas", 403),
        get(`/network/auto-allocated-topology/${a.projectId}`, 403)
      ]
    }
  }) satisfies KindOf
}
