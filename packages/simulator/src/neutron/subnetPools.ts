import { Result } from "effect"
import { assign, booleanAt, has, numberAt, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Routes, type Step } from "../Wire.ts"
import { cidr, flag, integer, named, network, nonNegative, orNull, owned, setOf, uuid } from "./attributes.ts"
import { badRequest, refuse } from "./errors.ts"
import { overlap } from "./ip.ts"
import { merged, without } from "./prefixes.ts"
import { type Request, touch } from "./request.ts"
import { action, common, type Kind } from "./resource.ts"
import { dropPolicies, granted } from "./sharing.ts"
import type { SubnetPool } from "./state.ts"
import { subnetsOf } from "./subnetPoolAllocation.ts"
import { checkBounds, checkExtended, checkScope, mayMove, versionOfAll } from "./subnetPoolRules.ts"

const lengths = ["default_prefixlen", "min_prefixlen", "max_prefixlen"] as const

export const subnetpools: Kind<SubnetPool> = {
  resource: "subnetpool",
  collection: "subnetpools",
  title: "SubnetPool",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    prefixes: { check: setOf(network), required: true, filter: false },
    default_prefixlen: { check: nonNegative },
    min_prefixlen: { check: nonNegative },
    max_prefixlen: { check: nonNegative },
    default_quota: { check: nonNegative, filter: false },
    shared: { check: flag, initial: false, put: false, admin: true },
    is_default: { check: flag, initial: false, admin: true },
    ip_version: { check: integer, post: false, put: false },
    address_scope_id: { check: orNull(uuid) }
  },
  things: (neutron) => neutron.subnetpools,
  shared: (neutron, pool, scope) => pool.shared || granted(neutron, "subnetpool", pool, scope),
  // Neutron shows the lengths as text, except in the answer to an update.
  show: (neutron, pool, scope) => ({
    ...common(pool),
    ...Object.fromEntries(lengths.map((_) => [_, String(pool[_])])),
    shared: pool.shared || granted(neutron, "subnetpool", pool, scope)
  }),
  updated: (pool, given, { address_scope_id, default_quota, ...shown }) => ({
    ...shown,
    ...Object.fromEntries(lengths.map((_) => [_, pool[_]])),
    ...(default_quota === null ? {} : { default_quota }),
    ...(address_scope_id === null && !has(given, "address_scope_id") ? {} : { address_scope_id })
  }),
  create: (request, thing, given) =>
    Result.gen(function* () {
      const prefixes = stringsAt(given, "prefixes") ?? []
      const ip_version = yield* versionOfAll(prefixes)
      const min = numberAt(given, "min_prefixlen") ?? (ip_version === 4 ? 8 : 64)
      const pool: SubnetPool = {
        ...thing,
        ip_version,
        prefixes: merged(prefixes),
        min_prefixlen: min,
        default_prefixlen: numberAt(given, "default_prefixlen") ?? min,
        max_prefixlen: numberAt(given, "max_prefixlen") ?? (ip_version === 4 ? 32 : 128),
        default_quota: numberAt(given, "default_quota") ?? null,
        shared: booleanAt(given, "shared") ?? false,
        is_default: booleanAt(given, "is_default") ?? false,
        address_scope_id: stringAt(given, "address_scope_id") ?? null
      }
      yield* checkBounds(pool)
      yield* checkScope(request, pool)
      return pool
    }),
  update: (request, pool, given) =>
    Result.gen(function* () {
      const prefixes = stringsAt(given, "prefixes")
      const next = { ...pool, prefixes: merged(prefixes ?? pool.prefixes) }
      if (prefixes !== undefined || has(given, "address_scope_id")) yield* mayMove(request, pool)
      if (prefixes !== undefined) {
        yield* checkExtended(pool, prefixes)
        yield* versionOfAll(prefixes)
      }
      if (has(given, "address_scope_id")) next.address_scope_id = stringAt(given, "address_scope_id") ?? null
      assign(next, given, {
        name: stringAt,
        description: stringAt,
        default_prefixlen: numberAt,
        min_prefixlen: numberAt,
        max_prefixlen: numberAt,
        default_quota: numberAt,
        is_default: booleanAt
      })
      yield* checkBounds(next)
      yield* checkScope(request, next)
      Object.assign(pool, next)
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

type Change = (request: Request, pool: SubnetPool, asked: ReadonlyArray<string>) => Step<ReadonlyArray<string>>

/** The revision grows only with the prefixes. */
const changing = (rule: string, change: Change) =>
  action(subnetpools, rule, (request, pool) =>
    Result.gen(function* () {
      const asked = stringsAt(objectAt(request.incoming.json), "prefixes")
      if (asked === undefined) return yield* badRequest("Request body contains invalid data")
      const wrong = asked.find((_) => "wrong" in cidr(_))
      if (wrong !== undefined) return yield* refuse(400, "AddrFormatError", `invalid IPNetwork ${wrong}`)
      yield* mayMove(request, pool)
      const prefixes = yield* change(request, pool, asked)
      if (prefixes.join() !== pool.prefixes.join()) touch(pool, request.now)
      pool.prefixes = prefixes
      return { prefixes }
    })
  )

const inUse = refuse(
  400,
  "IllegalSubnetPoolPrefixUpdate",
  "Illegal update to prefixes: One or more the prefixes to be removed is in use by a subnet.."
)

export const prefixRoutes: Routes = {
  "PUT /v2.0/subnetpools/:id/add_prefixes": changing("add_prefixes", (request, pool, asked) =>
    Result.gen(function* () {
      const prefixes = merged([...pool.prefixes, ...asked])
      yield* versionOfAll(prefixes)
      yield* checkScope(request, { ...pool, prefixes })
      return prefixes
    })
  ),
  "PUT /v2.0/subnetpools/:id/remove_prefixes": changing("remove_prefixes", ({ neutron }, pool, asked) =>
    subnetsOf(neutron, pool).some((subnet) => asked.some((_) => overlap(_, subnet.cidr)))
      ? inUse
      : Result.succeed(without(pool.prefixes, asked))
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
      pool.prefixes = merged([...pool.prefixes, ...own.map((_) => _.cidr)])
      return {}
    })
  )
}
