import { Result } from "effect"
import { objectAt, stringAt } from "../Json.ts"
import { type Routes, type Step } from "../Wire.ts"
import { badRequest, badRouterRequest, refuse } from "./errors.ts"
import { attachedSubnets } from "./gateways.ts"
import { overlap } from "./ip.ts"
import { addServicePort, ports } from "./ports.ts"
import { type Request, touch } from "./request.ts"
import { action, referred } from "./resource.ts"
import { routers } from "./routers.ts"
import { ensureDefaultGroup } from "./securityGroups.ts"
import type { NeutronState, Port, Router, Subnet } from "./state.ts"
import { neededByRoute } from "./staticRoutes.ts"
import { subnets } from "./subnets.ts"

const owner = "network:router_interface"

interface Named {
  readonly subnetId: string | undefined
  readonly portId: string | undefined
}

const named = ({ incoming }: Request): Step<Named> => {
  const body = objectAt(incoming.json)
  const [subnetId, portId] = [stringAt(body, "subnet_id"), stringAt(body, "port_id")]
  return subnetId === undefined && portId === undefined
    ? badRouterRequest("Either subnet_id or port_id must be specified")
    : Result.succeed({ subnetId, portId })
}

/** A subnet can be attached once, and must not overlap with the router's other subnets, its external ones included. */
const checkSubnet = (neutron: NeutronState, router: Router, subnet: Subnet): Step<void> => {
  const attached = attachedSubnets(neutron, router.id)
  if (attached.some((_) => _.id === subnet.id)) {
    return badRouterRequest(`Router already has a port on subnet ${subnet.id}`)
  }
  const outside = Object.values(neutron.subnets).filter((_) => _.network_id === router.gateway?.network_id)
  const clash = [...attached, ...outside].find((_) => overlap(_.cidr, subnet.cidr))
  return clash === undefined
    ? Result.void
    : badRouterRequest(
        `Cidr ${subnet.cidr} of subnet ${subnet.id} overlaps with cidr ${clash.cidr} of subnet ${clash.id}`
      )
}

/** The router takes the subnet's gateway address. */
export const attachSubnet = (request: Request, router: Router, subnetId: string): Step<Port> =>
  Result.gen(function* () {
    const { neutron } = request
    const subnet = yield* referred(subnets, request, subnetId)
    if (subnet.gateway_ip === null) return yield* badRouterRequest("Subnet for router interface must have a gateway IP")
    yield* checkSubnet(neutron, router, subnet)
    const ip_address = subnet.gateway_ip
    const held = Object.values(neutron.ports).some((port) =>
      port.fixed_ips.some((_) => _.subnet_id === subnet.id && _.ip_address === ip_address)
    )
    if (held) {
      const message = `IP address ${ip_address} already allocated in subnet ${subnet.id}`
      return yield* refuse(409, "IpAddressAlreadyAllocated", message)
    }
    yield* ensureDefaultGroup(request, router.project_id)
    const device = { project: router.project_id, device_owner: owner, device_id: router.id }
    return addServicePort(request, device, subnet.network_id, [{ subnet_id: subnet.id, ip_address }])
  })

const byPort = (request: Request, router: Router, portId: string): Step<Port> =>
  Result.gen(function* () {
    const { neutron } = request
    const port = yield* referred(ports, request, portId)
    if (port.device_id !== "") {
      return yield* refuse(
        409,
        "PortInUse",
        `Unable to complete operation on port ${port.id} for network ${port.network_id}. Port already has an attached ` +
          `device ${port.device_id}.`
      )
    }
    if (port.fixed_ips.length === 0) return yield* badRouterRequest("Router port must have at least one fixed IP")
    for (const fixed of port.fixed_ips) {
      const subnet = neutron.subnets[fixed.subnet_id]
      if (subnet !== undefined) yield* checkSubnet(neutron, router, subnet)
    }
    port.device_id = router.id
    port.device_owner = owner
    port.status = "ACTIVE"
    return port
  })

const info = (router: Router, port: Port) => ({
  id: router.id,
  tenant_id: router.project_id,
  port_id: port.id,
  network_id: port.network_id,
  subnet_id: port.fixed_ips[0]?.subnet_id ?? null,
  subnet_ids: port.fixed_ips.map((_) => _.subnet_id)
})

const add = (request: Request, router: Router): Step<unknown> =>
  Result.gen(function* () {
    const { portId, subnetId } = yield* named(request)
    if (portId !== undefined && subnetId !== undefined) {
      return yield* badRouterRequest("Cannot specify both subnet-id and port-id")
    }
    const port =
      portId === undefined
        ? yield* attachSubnet(request, router, subnetId ?? "")
        : yield* byPort(request, router, portId)
    touch(router, request.now)
    return info(router, port)
  })

const neededByFloatingIp = (neutron: NeutronState, router: Router, subnetId: string): boolean =>
  Object.values(neutron.floatingips).some((floating) => {
    const inside = floating.port_id === null ? undefined : neutron.ports[floating.port_id]
    return floating.router_id === router.id && inside?.fixed_ips.some((_) => _.subnet_id === subnetId) === true
  })

const find = (request: Request, router: Router, { portId, subnetId }: Named): Step<Port> =>
  Result.gen(function* () {
    const { neutron } = request
    const interfaces = Object.values(neutron.ports).filter((_) => _.device_id === router.id && _.device_owner === owner)
    if (portId === undefined) {
      const subnet = yield* referred(subnets, request, subnetId ?? "")
      const port = interfaces.find((_) => _.fixed_ips.some((fixed) => fixed.subnet_id === subnet.id))
      const message = `Router ${router.id} has no interface on subnet ${subnet.id}`
      return port ?? (yield* refuse(404, "RouterInterfaceNotFoundForSubnet", message))
    }
    const port = interfaces.find((_) => _.id === portId)
    if (port === undefined) {
      const message = `Router ${router.id} does not have an interface with id ${portId}`
      return yield* refuse(404, "RouterInterfaceNotFound", message)
    }
    const message = `Subnet ID ${subnetId} does not match the subnet of port ${portId}`
    const matching = subnetId === undefined || port.fixed_ips.some((_) => _.subnet_id === subnetId)
    return matching ? port : yield* badRequest(message)
  })

const remove = (request: Request, router: Router): Step<unknown> =>
  Result.gen(function* () {
    const { neutron } = request
    const port = yield* find(request, router, yield* named(request))
    const needed = port.fixed_ips.find((_) => neededByFloatingIp(neutron, router, _.subnet_id))
    if (needed !== undefined) {
      return yield* refuse(
        409,
        "RouterInterfaceInUseByFloatingIP",
        `Router interface for subnet ${needed.subnet_id} on router ${router.id} cannot be deleted, as it is required by ` +
          "one or more floating IPs."
      )
    }
    for (const { subnet_id } of port.fixed_ips) {
      const subnet = neutron.subnets[subnet_id]
      if (subnet !== undefined) yield* neededByRoute(router, subnet)
    }
    delete neutron.ports[port.id]
    touch(router, request.now)
    return info(router, port)
  })

export const interfaceRoutes: Routes = {
  "PUT /v2.0/routers/:id/add_router_interface": action(routers, "add_router_interface", add),
  "PUT /v2.0/routers/:id/remove_router_interface": action(routers, "remove_router_interface", remove)
}
