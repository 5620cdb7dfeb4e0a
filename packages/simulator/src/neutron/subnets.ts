import { Result } from "effect"
import { assign, booleanAt, has, type JsonObject, numberAt, objectAt, objectsAt, stringAt, stringsAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import type { Scope } from "../keystone/state.ts"
import { allocate, subnetsOf } from "./addresses.ts"
import {
  address,
  anything,
  cidr,
  flag,
  integer,
  list,
  listOf,
  named,
  oneOf,
  orNull,
  owned,
  uuid
} from "./attributes.ts"
import { badRequest, invalidInput, refuse } from "./errors.ts"
import { contains, overlap, parseCidr, toNumber, toText } from "./ip.ts"
import { checkRoutes, hostRoutes } from "./hostRoutes.ts"
import { mtuConflict, networks, portsOn } from "./networks.ts"
import { addServicePort } from "./ports.ts"
import { type Request, touch } from "./request.ts"
import { common, type Kind, referred } from "./resource.ts"
import { granted } from "./sharing.ts"
import type { NeutronState, Pool, Subnet, Thing } from "./state.ts"
import { takenFrom } from "./subnetPoolAllocation.ts"
import { subnetpools } from "./subnetPools.ts"

/** All addresses between the edges of the range, without the gateway. */
const defaultPools = (text: string, gateway: string | null): ReadonlyArray<Pool> => {
  const range = parseCidr(text)
  if (range === undefined) return []
  const edges = range.version === 6 ? [1n, 0n] : range.length < 31 ? [1n, 1n] : [0n, 0n]
  const [first, last] = [range.first + (edges[0] ?? 0n), range.last - (edges[1] ?? 0n)]
  const show = (value: bigint) => toText(range.version, value)
  const hole = gateway !== null && contains(text, gateway) ? toNumber(gateway) : undefined
  const pieces: ReadonlyArray<readonly [bigint, bigint]> =
    hole === undefined || hole < first || hole > last
      ? [[first, last]]
      : [
          [first, hole - 1n],
          [hole + 1n, last]
        ]
  return pieces.filter(([a, b]) => a <= b).map(([a, b]) => ({ start: show(a), end: show(b) }))
}

const checkPools = (
  cidrText: string,
  gateway: string | null,
  asked: ReadonlyArray<unknown>
): Step<ReadonlyArray<Pool>> =>
  Result.gen(function* () {
    const pools: Array<Pool> = []
    for (const entry of asked) {
      const [start, end] = [stringAt(objectAt(entry), "start"), stringAt(objectAt(entry), "end")]
      if (start === undefined || end === undefined || "wrong" in address(start) || "wrong" in address(end)) {
        return yield* badRequest("Invalid input for allocation_pools. Reason: Invalid data format for IP pool.")
      }
      if (!contains(cidrText, start) || !contains(cidrText, end) || toNumber(end) < toNumber(start)) {
        const message = `The allocation pool ${start}-${end} spans beyond the subnet cidr ${cidrText}.`
        return yield* refuse(400, "OutOfBoundsAllocationPool", message)
      }
      if (gateway !== null && contains(cidrText, gateway)) {
        const inside = toNumber(start) <= toNumber(gateway) && toNumber(gateway) <= toNumber(end)
        const message = `Gateway ip ${gateway} conflicts with allocation pool ${start}-${end}.`
        if (inside) return yield* refuse(409, "GatewayConflictWithAllocationPools", message)
      }
      pools.push({ start, end })
    }
    return pools
  })

/** A range of one or two addresses has no address for DHCP. */
const servable = (given: JsonObject): Step<void> => {
  const range = parseCidr(stringAt(given, "cidr") ?? "")
  const most = range?.version === 6 ? 126 : 30
  return range !== undefined && range.length > most && given["enable_dhcp"] !== false
    ? invalidInput("Subnet has a prefix length that is incompatible with DHCP service enabled")
    : Result.void
}

/** By default the first address of the range; null means no gateway. */
const gatewayOf = (given: JsonObject, first: string): string | null => {
  const gateway = given["gateway_ip"]
  return gateway === null ? null : typeof gateway === "string" ? gateway : first
}

const isShared = (neutron: NeutronState, networkId: string, scope: Scope): boolean => {
  const network = neutron.networks[networkId]
  return network !== undefined && (network.shared || granted(neutron, "network", network, scope))
}

const missing = "a subnetpool must be specified in the absence of a cidr"

/** All subnets of a network and an IP version come from one pool, or none does. */
const checkAffinity = (
  neutron: NeutronState,
  networkId: string,
  version: number,
  poolId: string | null
): Step<void> => {
  const others = subnetsOf(neutron, networkId).filter((_) => _.ip_version === version)
  const message = "Subnets hosted on the same network must be allocated from the same subnet pool."
  return others.some((_) => (_.subnetpool_id ?? null) !== poolId)
    ? refuse(400, "NetworkSubnetPoolAffinityError", message)
    : Result.void
}

const create = (request: Request, thing: Thing, asking: JsonObject): Step<Subnet> =>
  Result.gen(function* () {
    const { neutron, now } = request
    const network = yield* referred(networks, request, stringAt(asking, "network_id") ?? "")
    const poolId = stringAt(asking, "subnetpool_id")
    const pool = poolId === undefined ? undefined : yield* referred(subnetpools, request, poolId)
    const given: JsonObject =
      pool === undefined ? asking : { ...asking, cidr: yield* takenFrom(neutron, pool, thing.project_id, asking) }
    const range = parseCidr(stringAt(given, "cidr") ?? "")
    if (range === undefined) return yield* refuse(400, "BadRequest", `Bad subnets request: ${missing}.`)
    const ip_version = numberAt(given, "ip_version") ?? 4
    const text = `${toText(range.version, range.first)}/${range.length}`
    if (range.version !== ip_version) {
      return yield* invalidInput(`cidr '${text}' does not match the ip_version '${ip_version}'`)
    }
    const old = subnetsOf(neutron, network.id).find((_) => overlap(_.cidr, text))
    if (old !== undefined) {
      return yield* invalidInput(
        `Requested subnet with cidr: ${text} for network: ${network.id} overlaps with another subnet`
      )
    }
    yield* checkAffinity(neutron, network.id, ip_version, pool?.id ?? null)
    const crowded = mtuConflict(network, range.version, network.mtu, network.mtu)
    if (crowded !== undefined) return yield* crowded
    const gateway = gatewayOf(given, toText(range.version, range.first + 1n))
    if (
      gateway !== null &&
      (!contains(text, gateway) || (range.version === 4 && range.length < 31 && toNumber(gateway) === range.last))
    ) {
      return yield* invalidInput("Gateway is not valid on subnet")
    }
    const asked = given["allocation_pools"]
    const subnet: Subnet = {
      ...thing,
      network_id: network.id,
      subnetpool_id: pool?.id ?? null,
      ip_version,
      cidr: text,
      gateway_ip: gateway,
      allocation_pools: Array.isArray(asked) ? yield* checkPools(text, gateway, asked) : defaultPools(text, gateway),
      enable_dhcp: booleanAt(given, "enable_dhcp") ?? true,
      dns_nameservers: stringsAt(given, "dns_nameservers") ?? [],
      host_routes: yield* checkRoutes(objectsAt(given, "host_routes"), "new subnet", ip_version)
    }
    neutron.subnets[subnet.id] = subnet
    touch(network, now)
    serveByDhcp(request, subnet)
    return subnet
  })

/**
 * The DHCP agent creates one port for each network, which counts against the project's quota; without quota
 * there is no port.
 */
const serveByDhcp = (request: Request, { enable_dhcp, network_id }: Subnet): void => {
  const { neutron } = request
  const network = neutron.networks[network_id]
  const served = Object.values(neutron.ports).some(
    (_) => _.network_id === network_id && _.device_owner === "network:dhcp"
  )
  const free = allocate(neutron, network_id)
  if (!enable_dhcp || served || network === undefined || Result.isFailure(free)) return
  const owner = { project: network.project_id, device_owner: "network:dhcp", device_id: `dhcp-${network_id}` }
  addServicePort(request, owner, network_id, free.success)
}

/** The revision of a network grows with its subnets. */
const touchNetwork = ({ neutron, now }: Request, { network_id }: Subnet): void => {
  const network = neutron.networks[network_id]
  if (network !== undefined) touch(network, now)
}

const update = (request: Request, subnet: Subnet, given: JsonObject): Step<void> =>
  Result.gen(function* () {
    const { neutron } = request
    const gateway = Object.hasOwn(given, "gateway_ip") ? gatewayOf(given, "") : subnet.gateway_ip
    const asked = given["allocation_pools"]
    const held = Object.values(neutron.ports).some((port) =>
      port.fixed_ips.some((_) => _.subnet_id === subnet.id && _.ip_address === subnet.gateway_ip)
    )
    if (gateway !== subnet.gateway_ip && held) {
      const message = `Current gateway ip ${subnet.gateway_ip} already in use by port. Unable to update.`
      return yield* refuse(409, "GatewayIpInUse", message)
    }
    if (gateway !== null && !contains(subnet.cidr, gateway))
      return yield* invalidInput("Gateway is not valid on subnet")
    if (has(given, "host_routes")) {
      subnet.host_routes = yield* checkRoutes(objectsAt(given, "host_routes"), subnet.id, subnet.ip_version)
    }
    const pools = Array.isArray(asked) ? asked : subnet.allocation_pools
    subnet.allocation_pools = yield* checkPools(subnet.cidr, gateway, pools)
    subnet.gateway_ip = gateway
    assign(subnet, given, {
      name: stringAt,
      description: stringAt,
      enable_dhcp: booleanAt,
      dns_nameservers: stringsAt
    })
    touchNetwork(request, subnet)
  })

export const subnets: Kind<Subnet> = {
  resource: "subnet",
  collection: "subnets",
  title: "Subnet",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    network_id: { check: uuid, required: true, put: false },
    ip_version: {
      check: (_) => (typeof _ === "string" ? oneOf(4, 6)(Number(_)) : oneOf(4, 6)(_)),
      required: true,
      put: false
    },
    cidr: { check: cidr, put: false },
    gateway_ip: { check: orNull(address) },
    allocation_pools: { check: list, filter: false },
    enable_dhcp: { check: flag, initial: true },
    dns_nameservers: { check: listOf(address), filter: false },
    host_routes: { check: hostRoutes, filter: false },
    subnetpool_id: { check: orNull(uuid), put: false },
    prefixlen: { check: integer, put: false, filter: false },
    ipv6_ra_mode: { check: anything, put: false },
    ipv6_address_mode: { check: anything, put: false }
  },
  things: (neutron) => neutron.subnets,
  // An external network is visible to all projects, its subnets are not.
  shared: (neutron, { network_id }, scope) => isShared(neutron, network_id, scope),
  show: (_, subnet) => ({
    ...common(subnet),
    subnetpool_id: subnet.subnetpool_id ?? null,
    ipv6_ra_mode: null,
    ipv6_address_mode: null,
    segment_id: null,
    service_types: []
  }),
  attach: (request, project, given) =>
    Result.gen(function* () {
      const network = yield* referred(networks, request, stringAt(given, "network_id") ?? "")
      const usable = network.project_id === project || isShared(request.neutron, network.id, request.scope)
      if (!request.scope.admin && !usable) {
        return yield* refuse(403, "HTTPForbidden", `Tenant ${project} not allowed to create subnet on this network`)
      }
      yield* servable(given)
    }),
  create,
  update,
  remove: (request, subnet) => {
    const { neutron } = request
    const { inUse, own } = portsOn(neutron, (port) => port.fixed_ips.some((_) => _.subnet_id === subnet.id))
    if (inUse.length > 0) {
      const message = `Unable to complete operation on subnet ${subnet.id}: One or more ports have an IP allocation from this subnet.`
      return refuse(409, "SubnetInUse", message)
    }
    for (const port of own) {
      port.fixed_ips = port.fixed_ips.filter((_) => _.subnet_id !== subnet.id)
      if (port.fixed_ips.length === 0) delete neutron.ports[port.id]
    }
    touchNetwork(request, subnet)
    return Result.void
  }
}
