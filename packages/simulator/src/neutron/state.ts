import { fixtures } from "../Fixtures.ts"

/** The fields of every network object, under their names on the wire. */
export interface Thing {
  readonly id: string
  /** Empty for ports that no project owns, such as a router's on the external network. */
  readonly project_id: string
  name: string
  /** Null for objects that the service created. */
  description: string | null
  tags: Array<string>
  readonly created_at: string
  updated_at: string
  revision_number: number
}

export interface Network extends Thing {
  admin_state_up: boolean
  shared: boolean
  "router:external": boolean
  is_default: boolean
  mtu: number
  port_security_enabled: boolean
}

export interface Pool {
  readonly start: string
  readonly end: string
}

export interface Subnet extends Thing {
  /** Absent in states that were saved before subnet pools existed. */
  readonly subnetpool_id?: string | null
  readonly network_id: string
  readonly ip_version: number
  readonly cidr: string
  gateway_ip: string | null
  allocation_pools: ReadonlyArray<Pool>
  enable_dhcp: boolean
  dns_nameservers: ReadonlyArray<string>
  host_routes: ReadonlyArray<unknown>
}

export interface Router extends Thing {
  admin_state_up: boolean
  routes: ReadonlyArray<unknown>
  distributed: boolean
  ha: boolean
  gateway: { readonly network_id: string; readonly enable_snat: boolean; readonly port_id: string } | null
}

export interface FixedIp {
  readonly subnet_id: string
  readonly ip_address: string
}

export interface Port extends Thing {
  readonly network_id: string
  mac_address: string
  fixed_ips: ReadonlyArray<FixedIp>
  device_id: string
  device_owner: string
  admin_state_up: boolean
  status: string
  security_groups: ReadonlyArray<string>
  port_security_enabled: boolean
  allowed_address_pairs: ReadonlyArray<unknown>
  extra_dhcp_opts: ReadonlyArray<unknown>
  "binding:vnic_type": string
  "binding:host_id": string
}

export interface FloatingIp extends Thing {
  readonly floating_network_id: string
  readonly floating_ip_address: string
  fixed_ip_address: string | null
  port_id: string | null
  router_id: string | null
}

export interface SecurityGroup extends Thing {
  stateful: boolean
}

/** A security group rule after conversion. */
export interface RuleValues {
  readonly direction: string
  readonly ethertype: string
  readonly protocol: string | null
  readonly port_range_min: number | null
  readonly port_range_max: number | null
  readonly remote_ip_prefix: string | null
  /** `PARENT`, in a default rule, means the new group itself. */
  readonly remote_group_id: string | null
  readonly remote_address_group_id: string | null
}

export interface SecurityGroupRule extends Thing, RuleValues {
  readonly security_group_id: string
}

/** The rules of every new group, managed by administrators. */
export interface DefaultRule extends Thing, RuleValues {
  readonly used_in_default_sg: boolean
  readonly used_in_non_default_sg: boolean
}

export interface AddressGroup extends Thing {
  /** Networks with their host bits cleared. */
  addresses: ReadonlyArray<string>
}

export interface SubPort {
  readonly port_id: string
  readonly segmentation_type: string
  readonly segmentation_id: number
}

export interface Trunk extends Thing {
  admin_state_up: boolean
  readonly port_id: string
  sub_ports: ReadonlyArray<SubPort>
}

/** An RBAC policy: an action on an object that its owner grants to another project. */
export interface RbacPolicy extends Thing {
  readonly object_type: string
  readonly object_id: string
  readonly action: string
  /** A project, or `*` for every one. */
  target_tenant: string
}

export interface AddressScope extends Thing {
  readonly ip_version: number
  shared: boolean
}

export interface SubnetPool extends Thing {
  readonly ip_version: number
  prefixes: ReadonlyArray<string>
  default_prefixlen: number
  min_prefixlen: number
  max_prefixlen: number
  readonly shared: boolean
  is_default: boolean
  default_quota: number | null
  address_scope_id: string | null
}

export interface PortForwarding extends Thing {
  readonly floatingip_id: string
  protocol: string
  external_port: number
  internal_port: number
  internal_port_id: string
  internal_ip_address: string
}

/** Quotas that were set for a project; a missing key means the default. */
export interface QuotaRow {
  readonly project_id: string
  limits: Readonly<Record<string, number>>
}

export interface Topology {
  readonly project_id: string
  readonly network_id: string
  readonly router_id: string
}

export interface NeutronState {
  readonly networks: Record<string, Network>
  readonly subnets: Record<string, Subnet>
  readonly routers: Record<string, Router>
  readonly ports: Record<string, Port>
  readonly floatingips: Record<string, FloatingIp>
  readonly security_groups: Record<string, SecurityGroup>
  readonly security_group_rules: Record<string, SecurityGroupRule>
  readonly default_security_group_rules: Record<string, DefaultRule>
  readonly address_groups: Record<string, AddressGroup>
  readonly trunks: Record<string, Trunk>
  readonly rbac_policies: Record<string, RbacPolicy>
  readonly address_scopes: Record<string, AddressScope>
  readonly subnetpools: Record<string, SubnetPool>
  readonly port_forwardings: Record<string, PortForwarding>
  /** By project id. */
  readonly quotas: Record<string, QuotaRow>
  /** By project id. */
  readonly auto_allocated_topologies: Record<string, Topology>
}

const seeded = {
  project_id: fixtures.adminProjectId,
  description: "",
  tags: [],
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  revision_number: 1
}

/** The four stock rules: a new group allows all egress, and `default` also allows ingress from its own members. */
const defaultRules = (): Record<string, DefaultRule> =>
  Object.fromEntries(
    ["egress", "ingress"].flatMap((direction) =>
      ["IPv4", "IPv6"].map((ethertype) => {
        const id = `d0000000-0000-4000-8000-${direction === "egress" ? "e" : "1"}0000000000${ethertype.slice(-1)}`
        const inward = direction === "ingress"
        const rule: DefaultRule = {
          ...seeded,
          project_id: "",
          id,
          name: "",
          direction,
          ethertype,
          protocol: null,
          port_range_min: null,
          port_range_max: null,
          remote_ip_prefix: null,
          remote_group_id: inward ? "PARENT" : null,
          remote_address_group_id: null,
          used_in_default_sg: true,
          used_in_non_default_sg: !inward
        }
        return [id, rule]
      })
    )
  )

export const neutron = (): NeutronState => ({
  networks: {
    [fixtures.externalNetworkId]: {
      ...seeded,
      id: fixtures.externalNetworkId,
      name: "public",
      admin_state_up: true,
      shared: false,
      "router:external": true,
      is_default: true,
      mtu: 1500,
      port_security_enabled: true
    }
  },
  subnets: {
    [fixtures.externalSubnetId]: {
      ...seeded,
      id: fixtures.externalSubnetId,
      name: "public-v4",
      network_id: fixtures.externalNetworkId,
      ip_version: 4,
      cidr: "203.0.113.0/24",
      gateway_ip: "203.0.113.1",
      allocation_pools: [{ start: "203.0.113.2", end: "203.0.113.254" }],
      enable_dhcp: false,
      dns_nameservers: [],
      host_routes: []
    }
  },
  routers: {},
  ports: {},
  floatingips: {},
  security_groups: {},
  security_group_rules: {},
  default_security_group_rules: defaultRules(),
  address_groups: {},
  trunks: {},
  rbac_policies: {},
  address_scopes: {},
  subnetpools: {},
  port_forwardings: {},
  quotas: {},
  auto_allocated_topologies: {}
})
