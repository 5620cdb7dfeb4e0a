import { Result } from "effect"
import { has, type JsonObject, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { allocate, allocateAsked } from "./addresses.ts"
import { address, anything, orNull, owned, text, uuid } from "./attributes.ts"
import { badRequest, refuse } from "./errors.ts"
import { versionOf } from "./ip.ts"
import { networks } from "./networks.ts"
import { addServicePort, ports } from "./ports.ts"
import type { Request } from "./request.ts"
import { common, type Kind, referred } from "./resource.ts"
import type { FixedIp, FloatingIp, NeutronState, Port, Thing } from "./state.ts"

/** The router that connects a subnet with an external network. */
const routerBetween = (neutron: NeutronState, subnetId: string, networkId: string): string | undefined =>
  Object.values(neutron.ports).find(
    (port) =>
      port.device_owner === "network:router_interface" &&
      port.fixed_ips.some((_) => _.subnet_id === subnetId) &&
      neutron.routers[port.device_id]?.gateway?.network_id === networkId
  )?.device_id

/** The fixed address: the given one, or the port's only IPv4 address. */
const insideOf = (port: Port, wanted: string | undefined): Step<FixedIp> => {
  const candidates = port.fixed_ips.filter((_) => versionOf(_.ip_address) === 4)
  if (wanted !== undefined) {
    const found = candidates.find((_) => _.ip_address === wanted)
    return found === undefined
      ? refuse(400, "BadRequest", `Bad floatingip request: Port ${port.id} does not have fixed ip ${wanted}.`)
      : Result.succeed(found)
  }
  const [first, second] = candidates
  if (first === undefined) {
    const message = `Bad floatingip request: Cannot add floating IP to port ${port.id} that has no fixed IPv4 addresses.`
    return refuse(400, "BadRequest", message)
  }
  const message =
    `Bad floatingip request: Port ${port.id} has multiple fixed IPv4 addresses. Must provide a specific IPv4 address ` +
    "when assigning a floating IP."
  return second === undefined ? Result.succeed(first) : refuse(400, "BadRequest", message)
}

const associate = (request: Request, floating: FloatingIp, given: JsonObject): Step<void> =>
  Result.gen(function* () {
    const { neutron } = request
    const portId = stringAt(given, "port_id")
    if (portId === undefined) {
      if (stringAt(given, "fixed_ip_address") !== undefined) {
        const message = "Bad floatingip request: fixed_ip_address cannot be specified without a port_id."
        return yield* refuse(400, "BadRequest", message)
      }
      floating.port_id = null
      floating.fixed_ip_address = null
      floating.router_id = null
      return
    }
    const port = yield* referred(ports, request, portId)
    const inside = yield* insideOf(port, stringAt(given, "fixed_ip_address"))
    const outside = floating.floating_network_id
    const router = routerBetween(neutron, inside.subnet_id, outside)
    if (router === undefined) {
      return yield* refuse(
        404,
        "ExternalGatewayForFloatingIPNotFound",
        `External network ${outside} is not reachable from subnet ${inside.subnet_id}.  Therefore, cannot associate Port ` +
          `${port.id} with a Floating IP.`
      )
    }
    const other = Object.values(neutron.floatingips).find(
      (_) => _.id !== floating.id && _.port_id === port.id && _.fixed_ip_address === inside.ip_address
    )
    if (other !== undefined) {
      return yield* refuse(
        409,
        "FloatingIPPortAlreadyAssociated",
        `Cannot associate floating IP ${floating.floating_ip_address} (${floating.id}) with port ${port.id} using fixed ` +
          `IP ${inside.ip_address}, as that fixed IP already has a floating IP on external network ${outside}.`
      )
    }
    floating.port_id = port.id
    floating.fixed_ip_address = inside.ip_address
    floating.router_id = router
  })

const create = (request: Request, thing: Thing, given: JsonObject): Step<FloatingIp> =>
  Result.gen(function* () {
    const { neutron } = request
    const network = yield* referred(networks, request, stringAt(given, "floating_network_id") ?? "")
    if (!network["router:external"]) {
      const message = `Bad floatingip request: Network ${network.id} is not a valid external network.`
      return yield* refuse(400, "BadRequest", message)
    }
    const wanted = stringAt(given, "floating_ip_address")
    const fixed_ips =
      wanted === undefined
        ? yield* allocate(neutron, network.id)
        : yield* allocateAsked(neutron, network.id, [{ ip_address: wanted }])
    const outer = fixed_ips.find((_) => versionOf(_.ip_address) === 4)
    if (outer === undefined) return yield* badRequest(`Network ${network.id} does not contain any IPv4 subnet`)
    const floating: FloatingIp = {
      ...thing,
      floating_network_id: network.id,
      floating_ip_address: outer.ip_address,
      fixed_ip_address: null,
      port_id: null,
      router_id: null
    }
    yield* associate(request, floating, given)
    const owner = { project: "", device_owner: "network:floatingip", device_id: floating.id }
    addServicePort(request, owner, network.id, [outer])
    return floating
  })

const isForwarding = (neutron: NeutronState, { id }: FloatingIp): boolean =>
  Object.values(neutron.port_forwardings).some((_) => _.floatingip_id === id)

const forwards = ({ id }: FloatingIp): Step<never> =>
  refuse(409, "FipInUseByPortForwarding", `Floating IP ${id} in use by Port Forwarding resources.`)

const portDetails = ({ admin_state_up, device_id, device_owner, mac_address, name, network_id, status }: Port) => ({
  admin_state_up,
  device_id,
  device_owner,
  mac_address,
  name,
  network_id,
  status
})

export const floatingips: Kind<FloatingIp> = {
  resource: "floatingip",
  collection: "floatingips",
  title: "FloatingIP",
  updates: true,
  attributes: {
    ...owned,
    description: { check: text, initial: "" },
    floating_network_id: { check: uuid, required: true, put: false },
    floating_ip_address: { check: address, put: false, admin: true },
    subnet_id: { check: orNull(uuid), put: false, filter: false },
    port_id: { check: orNull(uuid) },
    fixed_ip_address: { check: orNull(address) },
    router_id: { check: anything, post: false, put: false },
    status: { check: anything, post: false, put: false },
    dns_name: { check: text, filter: false },
    dns_domain: { check: text, filter: false }
  },
  things: (neutron) => neutron.floatingips,
  show: (neutron, floating) => {
    const { name: _, ...shown } = common(floating)
    const port = floating.port_id === null ? undefined : neutron.ports[floating.port_id]
    return {
      ...shown,
      status: port === undefined ? "DOWN" : "ACTIVE",
      port_details: port === undefined ? null : portDetails(port)
    }
  },
  create,
  // An update without `port_id` changes only the description.
  update: (request, floating, given) =>
    Result.gen(function* () {
      if (has(given, "port_id")) {
        if (isForwarding(request.neutron, floating)) return yield* forwards(floating)
        yield* associate(request, floating, given)
      }
      floating.description = stringAt(given, "description") ?? floating.description
    }),
  remove: ({ neutron }, floating) => {
    if (isForwarding(neutron, floating)) return forwards(floating)
    for (const port of Object.values(neutron.ports)) {
      if (port.device_owner === "network:floatingip" && port.device_id === floating.id) delete neutron.ports[port.id]
    }
    return Result.void
  }
}
