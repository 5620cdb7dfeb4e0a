import { entry } from "../Json.ts"

/** The price of a unit for a second, in billionths of a euro: a cent is ten million of them. */
export interface Price {
  /** The key of the invoice line: one line for each price. */
  readonly key: string
  readonly service: string
  readonly description: string
  readonly unit: "second" | "GiB-second"
  readonly nanoEuros: bigint
}

const server = (flavor: string, nanoEuros: bigint): Price => ({
  key: `compute.${flavor}`,
  service: "compute",
  description: `Servers, ${flavor}`,
  unit: "second",
  nanoEuros
})

const small = server("m1.small", 10_000n)
const medium = server("m1.medium", 20_000n)
const large = server("m1.large", 40_000n)
const otherFlavor = server("other", 40_000n)

/** By id and by name: an event may have either. */
const flavors: Readonly<Record<string, Price>> = {
  "2": small,
  "m1.small": small,
  "3": medium,
  "m1.medium": medium,
  "4": large,
  "m1.large": large
}

const volume = (type: string, nanoEuros: bigint): Price => ({
  key: `block-storage.${type}`,
  service: "block-storage",
  description: `Volumes, ${type}`,
  unit: "GiB-second",
  nanoEuros
})

const standardVolume = volume("standard", 30n)
const ssdVolume = volume("ssd", 60n)

export const floatingIpPrice: Price = {
  key: "network.floating-ip",
  service: "network",
  description: "Floating IP addresses",
  unit: "second",
  nanoEuros: 1_000n
}

export const loadBalancerPrice: Price = {
  key: "load-balancer.load-balancer",
  service: "load-balancer",
  description: "Load balancers",
  unit: "second",
  nanoEuros: 7_000n
}

/** A flavor without a price costs as much as the largest one. */
export const serverPrice = (flavor: string): Price => entry(flavors, flavor) ?? otherFlavor

export const volumePrice = (type: string | null): Price => (type?.toLowerCase() === "ssd" ? ssdVolume : standardVolume)

/** All prices, in the order of the invoice's lines. */
export const prices: ReadonlyArray<Price> = [
  small,
  medium,
  large,
  otherFlavor,
  standardVolume,
  ssdVolume,
  floatingIpPrice,
  loadBalancerPrice
]

const nanosOfCent = 10_000_000n

/** An amount in whole cents, rounded once, half to even. */
export const centsOf = (quantity: bigint, { nanoEuros }: Price): number => {
  const nanos = quantity * nanoEuros
  const [whole, rest] = [nanos / nanosOfCent, nanos % nanosOfCent]
  const isUp = rest * 2n > nanosOfCent || (rest * 2n === nanosOfCent && whole % 2n === 1n)
  return Number(isUp ? whole + 1n : whole)
}

/** A price in euros, as a decimal number without trailing zeros. */
export const eurosOf = ({ nanoEuros }: Price): string => {
  const digits = String(nanoEuros).padStart(10, "0")
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, "")
}
