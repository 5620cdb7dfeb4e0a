import { randomBytes } from "node:crypto"
import { Result } from "effect"
import { objectAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { badRequest, refuse } from "./errors.ts"
import { contains, parseCidr, toNumber, toText } from "./ip.ts"
import type { FixedIp, NeutronState, Subnet } from "./state.ts"

export const subnetsOf = (neutron: NeutronState, networkId: string): ReadonlyArray<Subnet> =>
  Object.values(neutron.subnets).filter((_) => _.network_id === networkId)

const taken = (neutron: NeutronState, subnetId: string): ReadonlySet<string> =>
  new Set(
    Object.values(neutron.ports).flatMap((port) =>
      port.fixed_ips.filter((_) => _.subnet_id === subnetId).map((_) => _.ip_address)
    )
  )

/** The lowest free address of the pools; undefined when the pools are exhausted. */
const lowestFree = (neutron: NeutronState, subnet: Subnet): string | undefined => {
  const used = taken(neutron, subnet.id)
  const version = subnet.ip_version === 4 ? 4 : 6
  for (const { end, start } of subnet.allocation_pools) {
    for (let at = toNumber(start); at <= toNumber(end); at += 1n) {
      const address = toText(version, at)
      if (!used.has(address)) return address
    }
  }
  return undefined
}

const exhausted = (networkId: string): Step<never> =>
  refuse(409, "IpAddressGenerationFailure", `No more IP addresses available on network ${networkId}.`)

/** An address that the caller chose: in the subnet, inside or outside its pools. */
export const claim = (
  neutron: NeutronState,
  subnet: Subnet,
  address: string,
  outside = refuse(400, "InvalidIpForSubnet", `IP address ${address} is not a valid IP for the specified subnet.`)
): Step<FixedIp> => {
  const range = parseCidr(subnet.cidr)
  const edge = range?.version === 4 && range.length < 31 && [range.first, range.last].includes(toNumber(address))
  if (edge || !contains(subnet.cidr, address)) {
    return outside
  }
  return taken(neutron, subnet.id).has(address)
    ? refuse(409, "IpAddressAlreadyAllocated", `IP address ${address} already allocated in subnet ${subnet.id}`)
    : Result.succeed({ subnet_id: subnet.id, ip_address: address })
}

/** One address of each family that the network has a subnet of; none on a network without subnets. */
export const allocate = (neutron: NeutronState, networkId: string): Step<ReadonlyArray<FixedIp>> =>
  Result.gen(function* () {
    const subnets = subnetsOf(neutron, networkId)
    const found: Array<FixedIp> = []
    for (const version of [4, 6]) {
      const family = subnets.filter((_) => _.ip_version === version)
      const address = family.flatMap((subnet) => {
        const ip_address = lowestFree(neutron, subnet)
        return ip_address === undefined ? [] : [{ subnet_id: subnet.id, ip_address }]
      })[0]
      if (address === undefined && family.length > 0) return yield* exhausted(networkId)
      if (address !== undefined) found.push(address)
    }
    return found
  })

/** The entries of `fixed_ips`: each has a subnet, an address, or both. */
export const allocateAsked = (
  neutron: NeutronState,
  networkId: string,
  asked: ReadonlyArray<unknown>
): Step<ReadonlyArray<FixedIp>> =>
  Result.gen(function* () {
    const found: Array<FixedIp> = []
    for (const entry of asked) {
      const [subnetId, address] = [stringAt(objectAt(entry), "subnet_id"), stringAt(objectAt(entry), "ip_address")]
      const candidates = subnetsOf(neutron, networkId).filter((_) => subnetId === undefined || _.id === subnetId)
      const subnet =
        address === undefined ? candidates[0] : (candidates.find((_) => contains(_.cidr, address)) ?? candidates[0])
      if (subnet === undefined || (subnetId === undefined && address === undefined)) {
        return yield* subnetId !== undefined && neutron.subnets[subnetId] === undefined
          ? refuse(404, "SubnetNotFound", `Subnet ${subnetId} could not be found.`)
          : badRequest("Failed to create port on network, because fixed_ips included invalid subnet")
      }
      const anywhere = `IP address ${address} is not a valid IP for any of the subnets on the specified network.`
      const outside = subnetId === undefined ? refuse(400, "InvalidIpForNetwork", anywhere) : undefined
      if (address !== undefined) found.push(yield* claim(neutron, subnet, address, outside))
      else {
        const ip_address = lowestFree(neutron, subnet)
        if (ip_address === undefined) return yield* exhausted(networkId)
        found.push({ subnet_id: subnet.id, ip_address })
      }
    }
    return found
  })

export const newMac = (): string => ["fa", "16", "3e", ...[...randomBytes(3)].map(hex)].join(":")

const hex = (byte: number) => byte.toString(16).padStart(2, "0")
