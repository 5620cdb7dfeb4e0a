import { Result } from "effect"
import type { Step } from "../Wire.ts"
import { addressScopes } from "./addressScopes.ts"
import { refuse } from "./errors.ts"
import { overlap, parseCidr } from "./ip.ts"
import { covers } from "./prefixes.ts"
import { owns, type Request } from "./request.ts"
import { referred } from "./resource.ts"
import type { SubnetPool } from "./state.ts"

/** The IP version that all prefixes of a pool have. */
export const versionOfAll = (prefixes: ReadonlyArray<string>): Step<number> => {
  const [version, ...others] = new Set(prefixes.map((_) => parseCidr(_)?.version ?? 4))
  if (version === undefined) return refuse(400, "EmptySubnetPoolPrefixList", "Empty subnet pool prefix list.")
  return others.length > 0
    ? refuse(400, "PrefixVersionMismatch", "Cannot mix IPv4 and IPv6 prefixes in a subnet pool.")
    : Result.succeed(version)
}

type Lengths = Pick<SubnetPool, "ip_version" | "default_prefixlen" | "min_prefixlen" | "max_prefixlen">

/** The default length is between the other two, and no length is longer than an address. */
export const checkBounds = ({ default_prefixlen, ip_version, max_prefixlen, min_prefixlen }: Lengths): Step<void> => {
  const longest = ip_version === 4 ? 32 : 128
  const bounds: ReadonlyArray<readonly [boolean, string]> = [
    [max_prefixlen > longest, `max_prefixlen=${max_prefixlen}, ip_version_max=${longest}`],
    [min_prefixlen > max_prefixlen, `min_prefixlen=${min_prefixlen}, max_prefixlen=${max_prefixlen}`],
    [default_prefixlen < min_prefixlen, `default_prefixlen=${default_prefixlen}, min_prefixlen=${min_prefixlen}`],
    [default_prefixlen > max_prefixlen, `default_prefixlen=${default_prefixlen}, max_prefixlen=${max_prefixlen}`]
  ]
  const wrong = bounds.find(([isWrong]) => isWrong)
  return wrong === undefined
    ? Result.void
    : refuse(400, "IllegalSubnetPoolPrefixBounds", `Illegal prefix bounds: ${wrong[1]}.`)
}

/** An update may only add prefixes to those of the pool. */
export const checkExtended = (pool: SubnetPool, prefixes: ReadonlyArray<string>): Step<void> => {
  const message = "Illegal update to prefixes: Existing prefixes must be a subset of the new prefixes."
  return covers(prefixes, pool.prefixes) ? Result.void : refuse(400, "IllegalSubnetPoolPrefixUpdate", message)
}

/** Only the owner of a pool's address scope changes its prefixes or takes it out of the scope. */
export const mayMove = ({ neutron, scope }: Request, pool: SubnetPool): Step<void> => {
  const held = neutron.address_scopes[pool.address_scope_id ?? ""]
  if (held === undefined || owns(scope, held)) return Result.void
  const why = `subnetpool ${pool.id} cannot be updated when associated with shared address scope ${held.id}`
  return refuse(400, "IllegalSubnetPoolUpdate", `Illegal subnetpool update : ${why}.`)
}

/** A pool has the IP version of its address scope, and prefixes that no other pool of the scope has. */
export const checkScope = (request: Request, pool: SubnetPool): Step<void> =>
  Result.gen(function* () {
    if (pool.address_scope_id === null) return
    const scope = yield* referred(addressScopes, request, pool.address_scope_id)
    if (scope.ip_version !== pool.ip_version) {
      const why = `subnetpool ip_version is not ${scope.ip_version}`
      const cannot = `subnetpool ${pool.id} cannot associate with address scope ${scope.id} because ${why}`
      const type = "IllegalSubnetPoolIpVersionAssociationToAddressScope"
      return yield* refuse(400, type, `Illegal subnetpool association: ${cannot}.`)
    }
    const others = Object.values(request.neutron.subnetpools).filter(
      (_) => _.id !== pool.id && _.address_scope_id === scope.id
    )
    if (others.some((other) => other.prefixes.some((a) => pool.prefixes.some((b) => overlap(a, b))))) {
      const message =
        "Failed to associate address scope: subnetpools within an address scope must have unique prefixes."
      return yield* refuse(409, "AddressScopePrefixConflict", message)
    }
  })
