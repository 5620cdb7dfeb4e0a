import { Result } from "effect"
import { booleanAt, has, objectAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { allocate, allocateAsked } from "./addresses.ts"
import { type Check, flag, list, uuid } from "./attributes.ts"
import { badRouterRequest, refuse } from "./errors.ts"
import { overlap } from "./ip.ts"
import { networks } from "./networks.ts"
import { addServicePort } from "./ports.ts"
import type { Request } from "./request.ts"
import { referred } from "./resource.ts"
import type { Network, NeutronState, Port, Router, Subnet } from "./state.ts"

const keys: Readonly<Record<string, Check>> = { network_id: uuid, enable_snat: flag, external_fixed_ips: list }

/** `external_gateway_info` of a body: null and an empty object mean no gateway. */
export const gatewayInfo: Check = (value) => {
  if (value === null) return { value: {} }
  if (typeof value !== "object" || Array.isArray(value))
    return { wrong: `'${JSON.stringify(value)}' is not a dictionary` }
  const given = objectAt(value)
  const names = Object.keys(given)
  if (names.length === 0) return { value: {} }
  if (!has(given, "network_id") || names.some((_) => !Object.hasOwn(keys, _))) {
    return { wrong: `Validation of dictionary's keys failed. Expected keys: {'network_id'} Provided keys: ${names}` }
  }
  const converted: Record<string, unknown> = {}
  for (const [name, check] of Object.entries(keys)) {
    if (!has(given, name)) continue
    const checked = check(given[name])
    if ("wrong" in checked) return checked
    converted[name] = checked.value
  }
  return { value: converted }
}

/** The subnets of a router's interfaces. */
export const attachedSubnets = (neutron: NeutronState, routerId: string): ReadonlyArray<Subnet> =>
  Object.values(neutron.ports)
    .filter((_) => _.device_id === routerId && _.device_owner === "network:router_interface")
    .flatMap((port) => port.fixed_ips.flatMap((_) => neutron.subnets[_.subnet_id] ?? []))

const neededByFloatingIps = (neutron: NeutronState, router: Router): Step<void> => {
  const network = router.gateway?.network_id
  const needed = Object.values(neutron.floatingips).some(
    (_) => _.router_id === router.id && _.floating_network_id === network
  )
  return needed
    ? refuse(
        409,
        "RouterExternalGatewayInUseByFloatingIp",
        `Gateway cannot be updated for router ${router.id}, since a gateway to external network ${network} is required ` +
          "by one or more floating IPs."
      )
    : Result.void
}

/** The gateways of a router as ports, the one of `external_gateway_info` before the others. */
export const gatewayPorts = (neutron: NeutronState, router: Router): ReadonlyArray<Port> => {
  const ports = Object.values(neutron.ports).filter(
    (_) => _.device_id === router.id && _.device_owner === "network:router_gateway"
  )
  const isFirst = (port: Port) => Number(port.id === router.gateway?.port_id)
  return ports.toSorted((a, b) => isFirst(b) - isFirst(a))
}

/** When the first gateway is removed, the next one takes its place, with the default `enable_snat`. */
export const promoteGateway = (neutron: NeutronState, router: Router): void => {
  const next = gatewayPorts(neutron, router)[0]
  if (router.gateway !== null || next === undefined) return
  router.gateway = { network_id: next.network_id, enable_snat: true, port_id: next.id }
}

/** An external network that the caller can see. */
export const externalNetwork = (request: Request, id: string): Step<Network> =>
  Result.flatMap(referred(networks, request, id), (network) =>
    network["router:external"] ? Result.succeed(network) : badRouterRequest(`Network ${id} is not an external network`)
  )

export const dropGateway = (neutron: NeutronState, router: Router): Step<void> =>
  Result.map(neededByFloatingIps(neutron, router), () => {
    if (router.gateway !== null) delete neutron.ports[router.gateway.port_id]
    router.gateway = null
  })

/**
 * A gateway to the router's present network keeps its port and address; another network needs a new port.
 * Omitting `enable_snat` resets it to its default.
 */
export const setGateway = (request: Request, router: Router, value: unknown): Step<void> =>
  Result.gen(function* () {
    const { neutron } = request
    const given = objectAt(value)
    const networkId = stringAt(given, "network_id")
    if (networkId === undefined) {
      yield* dropGateway(neutron, router)
      return promoteGateway(neutron, router)
    }
    yield* externalNetwork(request, networkId)
    const enable_snat = booleanAt(given, "enable_snat") ?? true
    const asked = given["external_fixed_ips"]
    const { gateway } = router
    if (gateway?.network_id === networkId) {
      const port = neutron.ports[gateway.port_id]
      if (Array.isArray(asked) && asked.length > 0 && port !== undefined) {
        const same = asked.filter((_) =>
          port.fixed_ips.some((old) => old.ip_address === stringAt(objectAt(_), "ip_address"))
        )
        if (same.length < asked.length) port.fixed_ips = yield* allocateAsked(neutron, networkId, asked)
      }
      router.gateway = { ...gateway, enable_snat }
      return
    }
    yield* neededByFloatingIps(neutron, router)
    const outside = Object.values(neutron.subnets).filter((_) => _.network_id === networkId)
    const clash = attachedSubnets(neutron, router.id).find((_) => outside.some((other) => overlap(_.cidr, other.cidr)))
    if (clash !== undefined) {
      return yield* badRouterRequest(`Cidr ${clash.cidr} of subnet ${clash.id} overlaps with that of the gateway`)
    }
    const fixed_ips =
      Array.isArray(asked) && asked.length > 0
        ? yield* allocateAsked(neutron, networkId, asked)
        : yield* allocate(neutron, networkId)
    yield* dropGateway(neutron, router)
    const owner = { project: "", device_owner: "network:router_gateway", device_id: router.id }
    const port = addServicePort(request, owner, networkId, fixed_ips)
    router.gateway = { network_id: networkId, enable_snat, port_id: port.id }
  })

export const showGateway = (neutron: NeutronState, { gateway }: Router) =>
  gateway === null
    ? null
    : {
        network_id: gateway.network_id,
        enable_snat: gateway.enable_snat,
        external_fixed_ips: neutron.ports[gateway.port_id]?.fixed_ips ?? []
      }

/** All gateways, beginning with that of `external_gateway_info`. */
export const showGateways = (neutron: NeutronState, router: Router) =>
  gatewayPorts(neutron, router).map(({ fixed_ips, network_id }) => ({ network_id, external_fixed_ips: fixed_ips }))
