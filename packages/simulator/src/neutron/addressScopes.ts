import { Result } from "effect"
import { assign, booleanAt, numberAt, stringAt } from "../Json.ts"
import { flag, ids, oneOf, text } from "./attributes.ts"
import { refuse } from "./errors.ts"
import type { Kind } from "./resource.ts"
import { dropPolicies, granted } from "./sharing.ts"
import type { AddressScope } from "./state.ts"

export const addressScopes: Kind<AddressScope> = {
  resource: "address_scope",
  collection: "address_scopes",
  title: "AddressScope",
  updates: true,
  attributes: {
    ...ids,
    name: { check: text, initial: "" },
    ip_version: { check: oneOf(4, 6), required: true, put: false },
    shared: { check: flag, initial: false, admin: true }
  },
  things: (neutron) => neutron.address_scopes,
  shared: (neutron, scope, caller) => scope.shared || granted(neutron, "address_scope", scope, caller),
  show: (neutron, scope, caller) => ({
    id: scope.id,
    project_id: scope.project_id,
    name: scope.name,
    shared: scope.shared || granted(neutron, "address_scope", scope, caller),
    ip_version: scope.ip_version,
    tenant_id: scope.project_id
  }),
  create: (_, thing, given) =>
    Result.succeed({
      ...thing,
      ip_version: numberAt(given, "ip_version") ?? 4,
      shared: booleanAt(given, "shared") ?? false
    }),
  update: (_, scope, given) => {
    assign(scope, given, { name: stringAt, shared: booleanAt })
    return Result.void
  },
  remove: ({ neutron }, scope) => {
    if (Object.values(neutron.subnetpools).some((_) => _.address_scope_id === scope.id)) {
      return refuse(
        409,
        "AddressScopeInUse",
        `Unable to complete operation on address scope ${scope.id}. There are one or more subnet pools in use on the ` +
          "address scope."
      )
    }
    dropPolicies(neutron, scope.id)
    return Result.void
  }
}
