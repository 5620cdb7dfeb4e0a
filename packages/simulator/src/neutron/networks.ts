import { Result } from "effect"
import { assign, booleanAt, has, type JsonObject, numberAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { subnetsOf } from "./addresses.ts"
import { flag, list, nonNegative, named, owned, text } from "./attributes.ts"
import { invalidInput, refuse } from "./errors.ts"
import { common, type Kind } from "./resource.ts"
import { ensureDefaultGroup } from "./securityGroups.ts"
import { dropPolicies, granted } from "./sharing.ts"
import type { Network, NeutronState, Port } from "./state.ts"

/** Ports that the service deletes together with their network or subnet. */
const serviceOwned = new Set(["network:dhcp", "network:distributed"])

export const portsOn = (neutron: NeutronState, matches: (port: Port) => boolean) => {
  const found = Object.values(neutron.ports).filter(matches)
  return {
    inUse: found.filter((_) => !serviceOwned.has(_.device_owner)),
    own: found.filter((_) => serviceOwned.has(_.device_owner))
  }
}

/** The largest packet of the overlay, and of an external network. */
const largest = (given: JsonObject): number => (given["router:external"] === true ? 1500 : 1442)

/** 0 takes the largest possible. */
const mtuOf = (given: JsonObject): number => numberAt(given, "mtu") || largest(given)

const fitting = (given: JsonObject, mtu: number): Step<void> =>
  mtu > largest(given) ? invalidInput(`Requested MTU is too big, maximum is ${largest(given)}`) : Result.void

/** The smallest packets of IPv4 and of IPv6. */
const smallest = { 4: 68, 6: 1280 } as const

/** The refusal of a subnet in a network whose packets are too small for it; undefined when they are not. */
export const mtuConflict = (
  network: Network,
  version: number,
  mtu: number,
  named?: number
): Step<never> | undefined => {
  const least = mtu < smallest[4] ? smallest[4] : version === 6 ? smallest[6] : 0
  if (mtu === 0 || mtu >= least) return undefined
  const message = `MTU of ${network.id} is not valid, subnet requires a minimum of ${named ?? least}`
  return refuse(409, "NetworkMTUSubnetConflict", message)
}

const sizable = (neutron: NeutronState, network: Network, given: JsonObject, mtu: number): Step<void> | undefined => {
  if (!has(given, "mtu")) return undefined
  const versions = subnetsOf(neutron, network.id).map((_) => _.ip_version)
  const conflicts = versions.flatMap((_) => mtuConflict(network, _, mtu) ?? [])
  const most = { ...given, "router:external": given["router:external"] ?? network["router:external"] }
  return conflicts[0] ?? (mtu > largest(most) ? fitting(most, mtu) : undefined)
}

export const networks: Kind<Network> = {
  resource: "network",
  collection: "networks",
  title: "Network",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    admin_state_up: { check: flag, initial: true },
    status: { check: text, post: false, put: false },
    subnets: { check: list, post: false, put: false, filter: false },
    shared: { check: flag, initial: false, admin: true },
    "router:external": { check: flag, initial: false, admin: true },
    is_default: { check: flag, initial: false, admin: true },
    mtu: { check: nonNegative, initial: 0 },
    port_security_enabled: { check: flag, initial: true },
    availability_zone_hints: { check: list, filter: false },
    dns_domain: { check: text, filter: false }
  },
  things: (neutron) => neutron.networks,
  shared: (neutron, network, scope) =>
    network.shared ||
    network["router:external"] ||
    granted(neutron, "network", network, scope) ||
    granted(neutron, "network", network, scope, "access_as_external"),
  created: ({ is_default }) => ({ is_default }),
  show: (neutron, { is_default, ...network }, scope) => ({
    ...common(network),
    shared: network.shared || granted(neutron, "network", network, scope),
    "router:external":
      network["router:external"] ||
      Object.values(neutron.rbac_policies).some((_) => _.object_id === network.id && _.action === "access_as_external"),
    ...(network["router:external"] ? { is_default } : {}),
    status: "ACTIVE",
    subnets: subnetsOf(neutron, network.id).map((_) => _.id),
    availability_zone_hints: [],
    availability_zones: ["nova"],
    ipv4_address_scope: null,
    ipv6_address_scope: null
  }),
  create: (request, thing, given) =>
    Result.map(Result.andThen(fitting(given, mtuOf(given)), ensureDefaultGroup(request, thing.project_id)), () => ({
      ...thing,
      admin_state_up: booleanAt(given, "admin_state_up") ?? true,
      shared: booleanAt(given, "shared") ?? false,
      "router:external": booleanAt(given, "router:external") ?? false,
      is_default: booleanAt(given, "is_default") ?? false,
      mtu: mtuOf(given),
      port_security_enabled: booleanAt(given, "port_security_enabled") ?? true
    })),
  update: ({ neutron }, network, given) => {
    const external = booleanAt(given, "router:external") ?? network["router:external"]
    const gateways = Object.values(neutron.routers).some((_) => _.gateway?.network_id === network.id)
    if (!external && network["router:external"] && gateways) {
      return refuse(
        409,
        "ExternalNetworkInUse",
        `External network ${network.id} cannot be updated to be made non-external, since it has existing gateway ports.`
      )
    }
    const mtu = has(given, "mtu") ? mtuOf({ ...given, "router:external": external }) : network.mtu
    const misfit = sizable(neutron, network, given, mtu)
    if (misfit !== undefined) return misfit
    network.mtu = mtu
    assign(network, given, {
      name: stringAt,
      description: stringAt,
      admin_state_up: booleanAt,
      shared: booleanAt,
      "router:external": booleanAt,
      is_default: booleanAt,
      port_security_enabled: booleanAt
    })
    return Result.void
  },
  remove: ({ neutron }, network) => {
    const { inUse, own } = portsOn(neutron, (_) => _.network_id === network.id)
    if (inUse.length > 0) {
      return refuse(
        409,
        "NetworkInUse",
        `Unable to complete operation on network ${network.id}. There are one or more ports still in use on the ` +
          `network, id for these ports is: ${inUse.map((_) => _.id).join(",")}.`
      )
    }
    for (const port of own) delete neutron.ports[port.id]
    for (const subnet of subnetsOf(neutron, network.id)) delete neutron.subnets[subnet.id]
    dropPolicies(neutron, network.id)
    return Result.void
  }
}
