import { Schema } from "effect"

/** A network: the leading bits that all its addresses have. */
export interface Prefix {
  /** Bits of an address: 32 or 128. */
  readonly width: 32 | 128
  /** The first address as a number. */
  readonly first: bigint
  /** How many leading bits count. */
  readonly length: number
}

/** An IP address as a number of so many bits. */
export type Address = Pick<Prefix, "width" | "first">

const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)

const numberOf = (parts: ReadonlyArray<number>, bits: bigint): bigint =>
  parts.reduce((number, part) => (number << bits) | BigInt(part), 0n)

const ipv4Of = (text: string): Address | undefined =>
  ipv4.test(text) ? { width: 32, first: numberOf(text.split(".").map(Number), 8n) } : undefined

/**
 * The groups of one side of a `::`. An IPv4 address may stand for the last two
 * of an address (RFC 4291, section 2.2).
 */
const groupsOf = (text: string, isEnd: boolean): ReadonlyArray<number> | undefined => {
  if (text === "") return []
  const groups: Array<number> = []
  const parts = text.split(":")
  for (const [index, part] of parts.entries()) {
    const embedded = isEnd && index === parts.length - 1 ? ipv4Of(part) : undefined
    if (embedded !== undefined) groups.push(Number(embedded.first >> 16n), Number(embedded.first & 0xffffn))
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(parseInt(part, 16))
    else return undefined
  }
  return groups
}

const ipv6Of = (text: string): Address | undefined => {
  const [left, right, ...more] = text.split("::")
  const before = groupsOf(left ?? "", right === undefined)
  const behind = groupsOf(right ?? "", true)
  if (before === undefined || behind === undefined || more.length > 0) return undefined
  const missing = 8 - before.length - behind.length
  if (right === undefined ? missing !== 0 : missing < 1) return undefined
  return { width: 128, first: numberOf([...before, ...Array.from({ length: missing }, () => 0), ...behind], 16n) }
}

const mapped = 0xffffn << 32n

/** An address without a zone, in any spelling; an IPv4 address in IPv6 is the IPv4 address. Undefined for what is none. */
export const addressOf = (text: string): Address | undefined => {
  const address = text.includes(":") ? ipv6Of(text) : ipv4Of(text)
  return address?.width === 128 && address.first >> 32n === mapped >> 32n
    ? { width: 32, first: address.first & 0xffffffffn }
    : address
}

/** A network in its one spelling: no bit behind the length, the address as {@link textOf} writes it. Undefined for all else. */
export const prefixOf = (text: string): Prefix | undefined => {
  const [, written = "", bits] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  const address = addressOf(written)
  const length = Number(bits)
  if (address === undefined || length > address.width || textOf(address) !== written) return undefined
  const behind = BigInt(address.width - length)
  return (address.first >> behind) << behind === address.first ? { ...address, length } : undefined
}

/** An address in its one spelling (RFC 5952 for IPv6). */
export const textOf = ({ first, width }: Address): string => {
  if (width === 32) return [24n, 16n, 8n, 0n].map((_) => (first >> _) & 0xffn).join(".")
  const groups = Array.from({ length: 8 }, (_, index) => ((first >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  const zeros = [...groups.join(":").matchAll(/(?<![0-9a-f])0(?::0)+(?![0-9a-f])/g)]
  const longest = zeros.reduce<RegExpMatchArray | undefined>(
    (best, _) => (best === undefined || _[0].length > best[0].length ? _ : best),
    undefined
  )
  if (longest === undefined) return groups.join(":")
  const text = groups.join(":")
  const at = longest.index ?? 0
  return `${text.slice(0, at).replace(/:$/, "")}::${text.slice(at + longest[0].length).replace(/^:/, "")}`
}

/** Whether one of the networks has the address, or the whole of the other network. */
export const contains = (networks: ReadonlyArray<Prefix>, other: Address | Prefix): boolean => {
  const length = "length" in other ? other.length : other.width
  return networks.some(
    (_) => _.width === other.width && _.length <= length && (_.first ^ other.first) >> BigInt(_.width - _.length) === 0n
  )
}

const everywhere = "Leave networks out to allow every address"

/** Where a credential may be used from: 1 to 50 networks in CIDR notation. */
export const Networks = Schema.Array(
  Schema.String.check(
    Schema.makeFilter((text: string) => prefixOf(text) !== undefined, {
      expected: "a network in its shortest spelling, such as 203.0.113.0/24 or 2001:db8::/32"
    }),
    Schema.makeFilter((text: string) => prefixOf(text)?.length !== 0, {
      expected: `narrower than every address. ${everywhere}`
    })
  ).annotate({ description: "An IPv4 or IPv6 network in CIDR notation.", examples: ["203.0.113.0/24"] })
)
  .check(
    Schema.isMinLength(1, { expected: `a list of 1 to 50 networks. ${everywhere}` }),
    Schema.isMaxLength(50, { expected: "a list of 1 to 50 networks" }),
    Schema.makeFilter((all: ReadonlyArray<string>) => new Set(all).size === all.length, {
      expected: "a list of networks that names each once"
    })
  )
  .annotate({ identifier: "Networks" })
