import { Result } from "effect"
import { assign, booleanAt, has, type JsonObject, numberAt, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Routes, type Step } from "../Wire.ts"
import { addressScopes } from "./addressScopes.ts"
import { cidr, flag, integer, listOf, named, orNull, owned, uuid } from "./attributes.ts"
import { badRequest, refuse } from "./errors.ts"
import { overlap, parseCidr, toText } from "./ip.ts"
import { type Request, touch } from "./request.ts"
import { action, common, type Kind, referred } from "./resource.ts"
import { dropPolicies, granted } from "./sharing.ts"
import type { NeutronState, Subnet, SubnetPool } from "./state.ts"

const subnetsOf = (neutron: NeutronState, { id }: SubnetPool): ReadonlyArray<Subnet> =>
  Object.values(neutron.subnets).filter((_) => _.subnetpool_id === id)

/** The range of a subnet from a pool: the requested one, or the first free one of the requested length. */
export const takenFrom = (neutron: NeutronState, pool: SubnetPool, given: JsonObject): Step<string> => {
  const named = stringAt(given, "cidr")
  if (named !== undefined) {
    return pool.prefixes.some((_) => overlap(_, named))
      ? Result.succeed(named)
      : refuse(
          400,
          "SubnetAllocationError",
          "Failed to allocate subnet: Cannot allocate requested subnet from the available set of prefixes."
        )
  }
  const length = numberAt(given, "prefixlen") ?? pool.default_prefixlen
  const taken = subnetsOf(neutron, pool).map((_) => _.cidr)
  for (const prefix of pool.prefixes) {
    const range = parseCidr(prefix)
    if (range === undefined || range.length > length) continue
    const step = 1n << BigInt((range.version === 4 ? 32 : 128) - length)
    for (let at = range.first; at <= range.last; at += step) {
      const text = `${toText(range.version, at)}/${length}`
      if (taken.every((_) => !overlap(_, text))) return Result.succeed(text)
    }
  }
  return refuse(
    400,
    "SubnetAllocationError",
    `Failed to allocate subnet: Insufficient prefix space to allocate subnet size /${length}.`
  )
}

/** Prefixes are unique within an address scope. */
const scoped = (request: Request, pool: SubnetPool): Step<void> =>
  Result.gen(function* () {
    if (pool.address_scope_id === null) return
    const scope = yield* referred(addressScopes, request, pool.address_scope_id)
    const others = Object.values(request.neutron.subnetpools).filter(
      (_) => _.id !== pool.id && _.address_scope_id === scope.id
    )
    if (others.some((other) => other.prefixes.some((a) => pool.prefixes.some((b) => overlap(a, b))))) {
      const message =
        "Failed to associate address scope: subnetpools within an address scope must have unique prefixes."
      return yield* refuse(409, "AddressScopePrefixConflict", message)
    }
  })

export const subnetpools: Kind<SubnetPool> = {
  resource: "subnetpool",
  collection: "subnetpools",
  title: "SubnetPool",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    prefixes: { check: listOf(cidr), required: true, filter: false },
    default_prefixlen: { check: integer },
    min_prefixlen: { check: integer },
    max_prefixlen: { check: integer },
    default_quota: { check: orNull(integer), filter: false },
    shared: { check: flag, initial: false, put: false, admin: true },
    is_default: { check: flag, initial: false, admin: true },
    ip_version: { check: integer, post: false, put: false },
    address_scope_id: { check: orNull(uuid) }
  },
  things: (neutron) => neutron.subnetpools,
  shared: (neutron, pool, scope) => pool.shared || granted(neutron, "subnetpool", pool, scope),
  show: (neutron, pool, scope) => ({
    ...common(pool),
    shared: pool.shared || granted(neutron, "subnetpool", pool, scope)
  }),
  create: (request, thing, given) =>
    Result.gen(function* () {
      const prefixes = stringsAt(given, "prefixes") ?? []
      const version = parseCidr(prefixes[0] ?? "")?.version ?? 4
      const min = numberAt(given, "min_prefixlen") ?? (version === 4 ? 8 : 64)
      const pool: SubnetPool = {
        ...thing,
        ip_version: version,
        prefixes,
        min_prefixlen: min,
        default_prefixlen: numberAt(given, "default_prefixlen") ?? min,
        max_prefixlen: numberAt(given, "max_prefixlen") ?? (version === 4 ? 32 : 128),
        default_quota: numberAt(given, "default_quota") ?? null,
        shared: booleanAt(given, "shared") ?? false,
        is_default: booleanAt(given, "is_default") ?? false,
        address_scope_id: stringAt(given, "address_scope_id") ?? null
      }
      yield* scoped(request, pool)
      return pool
    }),
  update: (request, pool, given) =>
    Result.gen(function* () {
      const address_scope_id = has(given, "address_scope_id")
        ? (stringAt(given, "address_scope_id") ?? null)
        : pool.address_scope_id
      yield* scoped(request, { ...pool, address_scope_id })
      pool.address_scope_id = address_scope_id
      assign(pool, given, {
        name: stringAt,
        description: stringAt,
        default_prefixlen: numberAt,
        is_default: booleanAt
      })
    }),
  remove: ({ neutron }, pool) => {
    if (subnetsOf(neutron, pool).length > 0) {
      const message = "Unable to delete subnet pool: Subnet pool has existing allocations."
      return refuse(400, "SubnetPoolDeleteError", message)
    }
    dropPolicies(neutron, pool.id)
    return Result.void
  }
}

const changing = (
  rule: string,
  change: (request: Request, pool: SubnetPool, asked: ReadonlyArray<string>) => Step<ReadonlyArray<string>>
) =>
  action(subnetpools, rule, (request, pool) =>
    Result.gen(function* () {
      const asked = stringsAt(objectAt(request.incoming.json), "prefixes")
      if (asked === undefined) return yield* badRequest("Invalid input for operation: prefixes is not a list.")
      pool.prefixes = yield* change(request, pool, asked)
      touch(pool, request.now)
      return { prefixes: pool.prefixes }
    })
  )

export const prefixRoutes: Routes = {
  "PUT /v2.0/subnetpools/:id/add_prefixes": changing("add_prefixes", (_, pool, asked) =>
    Result.succeed([...new Set([...pool.prefixes, ...asked])])
  ),
  "PUT /v2.0/subnetpools/:id/remove_prefixes": changing("remove_prefixes", ({ neutron }, pool, asked) =>
    subnetsOf(neutron, pool).some((subnet) => asked.some((_) => overlap(_, subnet.cidr)))
      ? refuse(
          400,
          "IllegalSubnetPoolPrefixUpdate",
          "Illegal update to prefixes: One or more the prefixes to be removed is in use by a subnet.."
        )
      : Result.succeed(pool.prefixes.filter((_) => !asked.includes(_)))
  ),
  "PUT /v2.0/subnetpools/:id/onboard_network_subnets": action(subnetpools, "onboard_network_subnets", (request, pool) =>
    Result.gen(function* () {
      const id = stringAt(objectAt(request.incoming.json), "network_id") ?? ""
      const network = request.neutron.networks[id]
      if (network === undefined || (!request.scope.admin && network.project_id !== request.scope.projectId)) {
        return yield* refuse(404, "NetworkNotFound", `Network ${id} could not be found.`)
      }
      const own = Object.values(request.neutron.subnets).filter((_) => _.network_id === id)
      for (const subnet of own) request.neutron.subnets[subnet.id] = { ...subnet, subnetpool_id: pool.id }
      pool.prefixes = [...new Set([...pool.prefixes, ...own.map((_) => _.cidr)])]
      return {}
    })
  )
}
