import { Result } from "effect"
import { assign, entry, type JsonObject, stringAt, valueAt } from "../Json.ts"
import { type Routes, type Step } from "../Wire.ts"
import { type Check, list, named, network, owned, setOf } from "./attributes.ts"
import { badRequest, notFound, refuse } from "./errors.ts"
import { parseCidr, toText } from "./ip.ts"
import { networkOf } from "./parsing.ts"
import { owns, type Request } from "./request.ts"
import { action, changed, common, type Kind } from "./resource.ts"
import { dropPolicies, granted } from "./sharing.ts"
import type { AddressGroup } from "./state.ts"

export const referredAddressGroup = ({ neutron, scope }: Request, id: string): Step<AddressGroup> => {
  const group = entry(neutron.address_groups, id)
  return group !== undefined && (owns(scope, group) || granted(neutron, "address_group", group, scope))
    ? Result.succeed(group)
    : notFound("AddressGroup", id)
}

/** Unique addresses with their host bits cleared: `203.0.113.7/0` is the whole internet. */
const normalized = (asked: ReadonlyArray<unknown>): Step<ReadonlyArray<string>> =>
  Result.gen(function* () {
    const found = new Set<string>()
    for (const one of asked) {
      const network = typeof one === "string" ? networkOf(one) : undefined
      const range = network === undefined ? undefined : parseCidr(network.text)
      if (range === undefined) {
        return yield* refuse(400, "AddrFormatError", `invalid IPNetwork ${String(one)}`)
      }
      found.add(`${toText(range.version, range.first)}/${range.length}`)
    }
    return [...found]
  })

/** A create takes networks that are written as such; the changes of a group take whatever netaddr reads. */
const addressList: Check = (value) => setOf(network)(value ?? [])

const addressesOf = (given: JsonObject): Step<ReadonlyArray<string>> => {
  const asked = given["addresses"]
  return Array.isArray(asked) ? normalized(asked) : Result.succeed([])
}

const quoted = (addresses: ReadonlyArray<string>) => `[${addresses.map((_) => `'${_}'`).join(", ")}]`

type Change = (group: AddressGroup, addresses: ReadonlyArray<string>) => Step<ReadonlyArray<string>>

const changing = (rule: string, change: Change) =>
  action(addressGroups, rule, (request, group) =>
    Result.gen(function* () {
      const addresses = valueAt(request.incoming.json, "addresses")
      if (!Array.isArray(addresses)) return yield* badRequest("Invalid input for operation: addresses is not a list.")
      group.addresses = yield* change(group, yield* normalized(addresses))
      return { address_group: changed(addressGroups, request, group) }
    })
  )

const add: Change = (group, addresses) => {
  const there = addresses.filter((_) => group.addresses.includes(_))
  return there.length > 0
    ? refuse(400, "AddressesAlreadyExist", `Addresses ${quoted(there)} already exist in the address group ${group.id}.`)
    : Result.succeed([...group.addresses, ...addresses])
}

const remove: Change = (group, addresses) => {
  const missing = addresses.filter((_) => !group.addresses.includes(_))
  return missing.length > 0
    ? refuse(404, "AddressesNotFound", `Addresses ${quoted(missing)} not found in the address group ${group.id}.`)
    : Result.succeed(group.addresses.filter((_) => !addresses.includes(_)))
}

export const addressGroups: Kind<AddressGroup> = {
  resource: "address_group",
  collection: "address_groups",
  title: "AddressGroup",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    addresses: { check: addressList, put: false, filter: false },
    shared: { check: list, post: false, put: false }
  },
  things: (neutron) => neutron.address_groups,
  shared: (neutron, group, scope) => granted(neutron, "address_group", group, scope),
  show: (neutron, group, scope) => ({ ...common(group), shared: granted(neutron, "address_group", group, scope) }),
  create: (_, thing, given) => Result.map(addressesOf(given), (addresses) => ({ ...thing, addresses })),
  update: (_, group, given) => {
    assign(group, given, { name: stringAt, description: stringAt })
    return Result.void
  },
  remove: ({ neutron }, group) => {
    if (Object.values(neutron.security_group_rules).some((_) => _.remote_address_group_id === group.id)) {
      return refuse(
        409,
        "AddressGroupInUse",
        `Address group ${group.id} is in use on one or more security group rules.`
      )
    }
    dropPolicies(neutron, group.id)
    return Result.void
  }
}

export const addressGroupRoutes: Routes = {
  "PUT /v2.0/address-groups/:id/add_addresses": changing("add_addresses", add),
  "PUT /v2.0/address-groups/:id/remove_addresses": changing("remove_addresses", remove)
}
