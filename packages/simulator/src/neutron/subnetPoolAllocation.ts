import { Result } from "effect"
import { type JsonObject, numberAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { refuse } from "./errors.ts"
import { overlap, parseCidr, toText } from "./ip.ts"
import { covers } from "./prefixes.ts"
import type { NeutronState, Subnet, SubnetPool } from "./state.ts"

export const subnetsOf = (neutron: NeutronState, { id }: SubnetPool): ReadonlyArray<Subnet> =>
  Object.values(neutron.subnets).filter((_) => _.subnetpool_id === id)

/** Neutron answers a pool without room with a 500. */
const cannot = (why: string): Step<never> => refuse(500, "SubnetAllocationError", `Failed to allocate subnet: ${why}.`)

const checkLength = ({ max_prefixlen, min_prefixlen }: SubnetPool, length: number): Step<void> => {
  const refusal = (type: string, bound: string) =>
    refuse(
      400,
      `${type}PrefixSubnetAllocationError`,
      `Unable to allocate subnet with prefix length ${length}, ${bound}.`
    )
  if (length < min_prefixlen) return refusal("Min", `minimum allowed prefix is ${min_prefixlen}`)
  return length > max_prefixlen ? refusal("Max", `maximum allowed prefix is ${max_prefixlen}`) : Result.void
}

/** What a network of a length uses of a quota: addresses of IPv4, networks of the length 64 of IPv6. */
const units = (version: number, length: number): number => 2 ** ((version === 4 ? 32 : 64) - length)

/** A quota of 0 is none. */
const checkPoolQuota = (neutron: NeutronState, pool: SubnetPool, project: string, length: number): Step<void> => {
  const { default_quota: quota, ip_version } = pool
  const used = subnetsOf(neutron, pool)
    .filter((_) => _.project_id === project)
    .reduce((sum, _) => sum + units(ip_version, parseCidr(_.cidr)?.length ?? 0), 0)
  return quota !== null && quota > 0 && used + units(ip_version, length) > quota
    ? refuse(409, "SubnetPoolQuotaExceeded", "Per-tenant subnet pool prefix quota exceeded.")
    : Result.void
}

const firstFree = (pool: SubnetPool, length: number, taken: ReadonlyArray<string>): Step<string> => {
  for (const prefix of pool.prefixes) {
    const range = parseCidr(prefix)
    if (range === undefined || range.length > length) continue
    const step = 1n << BigInt((range.version === 4 ? 32 : 128) - length)
    for (let at = range.first; at <= range.last; at += step) {
      const text = `${toText(range.version, at)}/${length}`
      if (taken.every((_) => !overlap(_, text))) return Result.succeed(text)
    }
  }
  return cannot(`Insufficient prefix space to allocate subnet size /${length}`)
}

/** The range of a subnet from a pool: the requested one, or the first free one of the requested length. */
export const takenFrom = (neutron: NeutronState, pool: SubnetPool, project: string, given: JsonObject): Step<string> =>
  Result.gen(function* () {
    const [wanted, length] = [stringAt(given, "cidr"), numberAt(given, "prefixlen")]
    const bad = (why: string) => refuse(400, "BadRequest", `Bad subnets request: ${why}.`)
    if (wanted !== undefined && length !== undefined) {
      return yield* bad("cidr and prefixlen must not be supplied together")
    }
    const version = numberAt(given, "ip_version") ?? 4
    if (version !== pool.ip_version) {
      return yield* bad(`Cannot allocate IPv${version} subnet from IPv${pool.ip_version} subnet pool`)
    }
    const size = wanted === undefined ? (length ?? pool.default_prefixlen) : (parseCidr(wanted)?.length ?? 0)
    yield* checkLength(pool, size)
    yield* checkPoolQuota(neutron, pool, project, size)
    const taken = subnetsOf(neutron, pool).map((_) => _.cidr)
    if (wanted === undefined) return yield* firstFree(pool, size, taken)
    const free = covers(pool.prefixes, [wanted]) && taken.every((_) => !overlap(_, wanted))
    return free ? wanted : yield* cannot("Cannot allocate requested subnet from the available set of prefixes")
  })
