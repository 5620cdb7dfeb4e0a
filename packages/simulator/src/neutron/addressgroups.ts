import { Result } from "effect"
import { objectAt, stringAt } from "../Json.ts"
import { type Answer, json, type Routes } from "../Wire.ts"
import { type Given, list, named, owned } from "./attributes.ts"
import { badRequest, notFound, refuse, type Step } from "./errors.ts"
import { parseCidr, toText } from "./ip.ts"
import { networkOf } from "./reading.ts"
import { call, entry, mayWrite, owns, param, type Request, touch } from "./request.ts"
import { common, type Kind, writable } from "./resource.ts"
import { dropPolicies, granted } from "./sharing.ts"
import type { AddressGroup } from "./state.ts"

export const referredAddressGroup = ({ neutron, scope }: Request, id: string): Step<AddressGroup> => {
  const group = entry(neutron.address_groups, id)
  return group !== undefined && (owns(scope, group) || granted(neutron, "address_group", group, scope))
    ? Result.succeed(group)
    : notFound("AddressGroup", id)
}

/** Each once, and with its host bits cleared: `203.0.113.7/0` is the whole world by name. */
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

const addressesOf = (given: Given): Step<ReadonlyArray<string>> => {
  const asked = given["addresses"]
  return Array.isArray(asked) ? normalized(asked) : Result.succeed([])
}

const quoted = (addresses: ReadonlyArray<string>) => `[${addresses.map((_) => `'${_}'`).join(", ")}]`

const change =
  (rule: string, apply: (group: AddressGroup, addresses: ReadonlyArray<string>) => Step<ReadonlyArray<string>>) =>
  (request: Request): Step<Answer> =>
    Result.gen(function* () {
      const group = yield* writable(addressGroups, request, param(request, "id"))
      yield* mayWrite(request, rule)
      const body = objectAt(request.incoming.json)
      const asked = body["addresses"]
      if (!Array.isArray(asked)) return yield* badRequest("Invalid input for operation: addresses is not a list.")
      group.addresses = yield* apply(group, yield* normalized(asked))
      touch(group, request.now)
      return json(200, { address_group: addressGroups.show(request.neutron, group, request.scope) })
    })

const add = change("add_addresses", (group, addresses) => {
  const there = addresses.filter((_) => group.addresses.includes(_))
  return there.length > 0
    ? refuse(400, "AddressesAlreadyExist", `Addresses ${quoted(there)} already exist in the address group ${group.id}.`)
    : Result.succeed([...group.addresses, ...addresses])
})

const removeSome = change("remove_addresses", (group, addresses) => {
  const missing = addresses.filter((_) => !group.addresses.includes(_))
  return missing.length > 0
    ? refuse(404, "AddressesNotFound", `Addresses ${quoted(missing)} not found in the address group ${group.id}.`)
    : Result.succeed(group.addresses.filter((_) => !addresses.includes(_)))
})

export const addressGroups: Kind<AddressGroup> = {
  resource: "address_group",
  collection: "address_groups",
  title: "AddressGroup",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    addresses: { check: list, put: false, filter: false },
    shared: { check: list, post: false, put: false }
  },
  things: (neutron) => neutron.address_groups,
  shared: (neutron, group, scope) => granted(neutron, "address_group", group, scope),
  show: (neutron, group, scope) => ({ ...common(group), shared: granted(neutron, "address_group", group, scope) }),
  create: (_, thing, given) => Result.map(addressesOf(given), (addresses) => ({ ...thing, addresses })),
  update: (_, group, given) => {
    group.name = stringAt(given, "name") ?? group.name
    group.description = stringAt(given, "description") ?? group.description
    return Result.succeed(undefined)
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
    return Result.succeed(undefined)
  }
}

export const addressGroupRoutes: Routes = {
  "PUT /v2.0/address-groups/:id/add_addresses": call(add),
  "PUT /v2.0/address-groups/:id/remove_addresses": call(removeSome)
}
