import { Result } from "effect"
import { assign, booleanAt, has, type JsonObject, objectAt, stringAt, stringsAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { addressPairs } from "./addressPairs.ts"
import { allocate, allocateAsked, newMac } from "./addresses.ts"
import { anything, flag, list, named, orNull, owned, setOf, text, uuid } from "./attributes.ts"
import { notFound, policyRefused, refuse } from "./errors.ts"
import { extraDhcpOptions, withOptions } from "./extraDhcpOptions.ts"
import { networks } from "./networks.ts"
import { disassociate } from "./disassociate.ts"
import { newThing, owns, type Request } from "./request.ts"
import { common, type Kind, referred } from "./resource.ts"
import { inTrunk, trunkDetails } from "./trunkSubports.ts"
import { checkGroups, checkSecurity } from "./portSecurity.ts"
import { ensureDefaultGroup } from "./securityGroups.ts"
import { granted } from "./sharing.ts"
import type { FixedIp, NeutronState, Port, Thing } from "./state.ts"

const portOf = (thing: Thing, networkId: string, given: Partial<Port>): Port => ({
  ...thing,
  network_id: networkId,
  mac_address: newMac(),
  fixed_ips: [],
  device_id: "",
  device_owner: "",
  admin_state_up: true,
  status: "DOWN",
  security_groups: [],
  port_security_enabled: true,
  allowed_address_pairs: [],
  extra_dhcp_opts: [],
  "binding:vnic_type": "normal",
  "binding:host_id": "",
  ...given
})

/** A port that a service creates; only the API checks the quota, so it does not apply here. */
export const addServicePort = (
  { neutron, now }: Pick<Request, "neutron" | "now">,
  owner: { readonly project: string; readonly device_owner: string; readonly device_id: string },
  networkId: string,
  fixed_ips: ReadonlyArray<FixedIp>,
  name = ""
): Port => {
  const { device_id, device_owner, project } = owner
  const given = { fixed_ips, device_id, device_owner, status: "ACTIVE", port_security_enabled: false }
  const port = portOf(newThing(now, project, { name }), networkId, given)
  neutron.ports[port.id] = port
  return port
}

const isRouterOwned = (neutron: NeutronState, { device_id, device_owner }: Port): boolean =>
  (["network:router_interface", "network:router_gateway"].includes(device_owner) &&
    neutron.routers[device_id] !== undefined) ||
  (device_owner === "network:floatingip" && neutron.floatingips[device_id] !== undefined)

const groupsOf = (
  request: Request,
  project: string,
  given: JsonObject,
  secured: boolean
): Step<ReadonlyArray<string>> =>
  Result.gen(function* () {
    const named = stringsAt(given, "security_groups")
    yield* checkGroups(request, named ?? [])
    if (named !== undefined || !secured || stringAt(given, "device_owner")?.startsWith("network:") === true) {
      return named ?? []
    }
    return [(yield* ensureDefaultGroup(request, project)).id]
  })

/** A subnet that the project cannot see does not exist, whichever network it is of. */
const seenSubnets = ({ neutron, scope }: Request, networkId: string, asked: ReadonlyArray<unknown>): Step<void> => {
  const unseen = asked
    .map((_) => neutron.subnets[stringAt(objectAt(_), "subnet_id") ?? ""])
    .find((_) => _ !== undefined && _.network_id !== networkId && !owns(scope, _))
  return unseen === undefined ? Result.void : notFound("Subnet", unseen.id)
}

const create = (request: Request, thing: Thing, given: JsonObject): Step<Port> =>
  Result.gen(function* () {
    const { neutron } = request
    const network = yield* referred(networks, request, stringAt(given, "network_id") ?? "")
    if (thing.project_id !== "") yield* ensureDefaultGroup(request, thing.project_id)
    const asked = given["fixed_ips"]
    if (Array.isArray(asked)) yield* seenSubnets(request, network.id, asked)
    const fixed_ips = Array.isArray(asked)
      ? yield* allocateAsked(neutron, network.id, asked)
      : yield* allocate(neutron, network.id)
    const mac = stringAt(given, "mac_address")
    if (mac !== undefined && Object.values(neutron.ports).some((_) => _.mac_address === mac)) {
      const message = `Unable to complete operation for network ${network.id}. The mac address ${mac} is in use.`
      return yield* refuse(409, "MacAddressInUse", message)
    }
    const secured = booleanAt(given, "port_security_enabled") ?? network.port_security_enabled
    const port = portOf(thing, network.id, {
      fixed_ips,
      security_groups: yield* groupsOf(request, thing.project_id, given, secured),
      port_security_enabled: secured
    })
    if (mac !== undefined) port.mac_address = mac
    yield* secure(port, given)
    port.extra_dhcp_opts = yield* withOptions(port, given)
    bind(port, given)
    return port
  })

/** Stores the address pairs of a body, if the port's security allows what it is going to have. */
const secure = (port: Port, given: JsonObject, groups = port.security_groups): Step<void> =>
  Result.gen(function* () {
    const asked = given["allowed_address_pairs"]
    const pairs = asked === undefined ? port.allowed_address_pairs : yield* addressPairs(asked ?? [], port.mac_address)
    const secured = booleanAt(given, "port_security_enabled") ?? port.port_security_enabled
    yield* checkSecurity({ secured, groups, namesGroups: has(given, "security_groups"), pairs })
    port.allowed_address_pairs = pairs
  })

/** A port is up as soon as a compute host has bound it; unbound it stays DOWN. */
const bind = (port: Port, given: JsonObject): void => {
  assign(port, given, {
    name: stringAt,
    description: stringAt,
    device_id: stringAt,
    device_owner: stringAt,
    admin_state_up: booleanAt,
    port_security_enabled: booleanAt,
    "binding:vnic_type": stringAt
  })
  const host = stringAt(given, "binding:host_id")
  if (host === undefined) return
  port["binding:host_id"] = host
  port.status = host === "" ? "DOWN" : "ACTIVE"
}

const update = (request: Request, port: Port, given: JsonObject): Step<void> =>
  Result.gen(function* () {
    const { neutron } = request
    const asked = given["fixed_ips"]
    if (Array.isArray(asked)) {
      // Addresses that the port has already are kept and not claimed again.
      const kept = port.fixed_ips.filter((old) =>
        asked.some((_) => stringAt(objectAt(_), "ip_address") === old.ip_address)
      )
      const others = asked.filter((_) => !kept.some((old) => old.ip_address === stringAt(objectAt(_), "ip_address")))
      port.fixed_ips = [...kept, ...(yield* allocateAsked(neutron, port.network_id, others))]
    }
    const groups = stringsAt(given, "security_groups")
    yield* checkGroups(request, groups ?? [])
    yield* secure(port, given, groups ?? port.security_groups)
    if (port.project_id !== "") yield* ensureDefaultGroup(request, port.project_id)
    port.extra_dhcp_opts = yield* withOptions(port, given)
    port.security_groups = groups ?? port.security_groups
    bind(port, given)
  })

/** Attributes that only the network's owner may set on a port of a shared network. */
const ownersAttributes = ["device_owner", "fixed_ips", "mac_address", "port_security_enabled", "allowed_address_pairs"]

export const ports: Kind<Port> = {
  resource: "port",
  collection: "ports",
  title: "Port",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    network_id: { check: uuid, required: true, put: false },
    admin_state_up: { check: flag, initial: true },
    mac_address: { check: text },
    fixed_ips: { check: list },
    device_id: { check: text },
    device_owner: { check: text },
    status: { check: anything, post: false, put: false },
    security_groups: { check: orNull(setOf(uuid)) },
    port_security_enabled: { check: flag },
    allowed_address_pairs: { check: anything, filter: false },
    extra_dhcp_opts: { check: extraDhcpOptions, filter: false },
    "binding:vnic_type": { check: text },
    "binding:host_id": { check: text, admin: true },
    "binding:profile": { check: anything, admin: true, filter: false },
    dns_name: { check: text, filter: false }
  },
  things: (neutron) => neutron.ports,
  show: (neutron, { "binding:host_id": host, ...port }, scope) => ({
    ...common(port),
    ...trunkDetails(neutron, port.id),
    ...(scope.admin
      ? { "binding:host_id": host, "binding:profile": {}, "binding:vif_type": host === "" ? "unbound" : "ovs" }
      : {})
  }),
  // Members may create ports on their own and on shared networks; the external network is neither.
  attach: (request, project, given) =>
    Result.flatMap(referred(networks, request, stringAt(given, "network_id") ?? ""), (network) =>
      request.scope.admin ||
      network.shared ||
      network.project_id === project ||
      granted(request.neutron, "network", network, request.scope)
        ? Result.void
        : refuse(403, "HTTPForbidden", `Tenant ${project} not allowed to create port on this network`)
    ),
  permit: ({ neutron, scope }, method, body, port) => {
    const network = neutron.networks[port?.network_id ?? stringAt(body, "network_id") ?? ""]
    const reserved = ownersAttributes.find(
      (_) => has(body, _) && (_ !== "device_owner" || stringAt(body, _)?.startsWith("network:") === true)
    )
    return reserved === undefined || network?.project_id === scope.projectId
      ? Result.void
      : policyRefused(`${method}_port and rule:${method}_port:${reserved}`)
  },
  create,
  update,
  remove: (request, port) => {
    if (isRouterOwned(request.neutron, port)) {
      const reason = `has device owner ${port.device_owner}`
      const message = `Port ${port.id} cannot be deleted directly via the port API: ${reason}.`
      return refuse(409, "ServicePortInUse", message)
    }
    const trunked = inTrunk(request.neutron, port.id)
    if (trunked !== undefined) return trunked
    disassociate(request, port.id)
    return Result.void
  }
}
