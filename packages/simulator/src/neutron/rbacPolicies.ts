import { Result } from "effect"
import { entry, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { ids, text, uuid } from "./attributes.ts"
import { invalidInput, policyRefused, refuse } from "./errors.ts"
import { owns } from "./request.ts"
import { type Kind } from "./resource.ts"
import type { NeutronState, RbacPolicy, Thing } from "./state.ts"

/** The object types that can be shared, their collections, and the module in the message of a refusal. */
const types: Readonly<
  Record<
    string,
    {
      readonly module: string
      readonly actions: ReadonlyArray<string>
      things(neutron: NeutronState): Readonly<Record<string, Thing>>
    }
  >
> = {
  network: {
    module: "network",
    actions: ["access_as_shared", "access_as_external"],
    things: (_) => _.networks
  },
  security_group: { module: "securitygroup", actions: ["access_as_shared"], things: (_) => _.security_groups },
  address_group: { module: "address_group", actions: ["access_as_shared"], things: (_) => _.address_groups },
  address_scope: { module: "address_scope", actions: ["access_as_shared"], things: (_) => _.address_scopes },
  subnetpool: { module: "subnetpool", actions: ["access_as_shared"], things: (_) => _.subnetpools }
}

/** The callback's number, which differs in every process. */
const callback = (module: string, why: string): Step<never> =>
  refuse(
    400,
    "InvalidInput",
    `Invalid input for operation: Callback neutron.objects.${module}.RbacNeutronDbObjectMixin.` +
      `validate_rbac_policy_change-8771072371821 failed with "${why}".`
  )

/** The policy of a network that its target uses cannot be removed. */
const unused = (neutron: NeutronState, { object_id, object_type, project_id, target_tenant }: RbacPolicy): Step<void> =>
  object_type === "network" &&
  Object.values(neutron.ports).some(
    (_) =>
      _.network_id === object_id &&
      _.project_id !== "" &&
      (target_tenant === "*" ? _.project_id !== project_id : _.project_id === target_tenant)
  )
    ? refuse(
        409,
        "RbacPolicyInUse",
        `RBAC policy on object ${object_id} cannot be removed because other objects depend on it.\nDetails: Callback ` +
          "neutron.plugins.ml2.plugin.NeutronDbPluginV2.validate_network_rbac_policy_change-1968761 failed with " +
          `"Unable to reconfigure sharing settings for network ${object_id}. Multiple tenants are using it.".`
      )
    : Result.void

/** A member may share its project's objects with another project; only administrators may share with all. */
export const rbacPolicies: Kind<RbacPolicy> = {
  resource: "rbac_policy",
  collection: "rbac_policies",
  title: "RbacPolicy",
  updates: true,
  attributes: {
    ...ids,
    object_type: { check: text, required: true, put: false },
    object_id: { check: uuid, required: true, put: false },
    action: { check: text, required: true, put: false },
    target_tenant: { check: text, required: true }
  },
  things: (neutron) => neutron.rbac_policies,
  show: (_, { action, id, object_id, object_type, project_id, target_tenant }) => ({
    id,
    project_id,
    action,
    object_id,
    target_tenant,
    object_type,
    tenant_id: project_id
  }),
  permit: (_, method, given) => {
    if (stringAt(given, "target_tenant") !== "*") return Result.void
    const rule = `${method}_rbac_policy`
    const whole = ["object_type", "object_id", "target_tenant", "action"]
    return method === "create"
      ? refuse(
          403,
          "PolicyNotAuthorized",
          `${whole.reduce((text, _) => `(${text} and rule:${rule}:${_})`, `rule:${rule}`)} is disallowed by policy`
        )
      : policyRefused(`${rule} and rule:${rule}:target_tenant`)
  },
  create: ({ neutron, scope }, thing, given) => {
    const [type, id, action, target] = ["object_type", "object_id", "action", "target_tenant"].map(
      (_) => stringAt(given, _) ?? ""
    )
    const known = types[type ?? ""]
    if (known === undefined || type === undefined || id === undefined || action === undefined || target === undefined) {
      return invalidInput(`'${type}' is not a valid RBAC object type`)
    }
    if (!known.actions.includes(action)) {
      const valid = `(${known.actions.map((_) => `'${_}'`).join(", ")}${known.actions.length === 1 ? "," : ""})`
      const message = `Invalid action '${action}' for object type '${type}'. Valid actions: ${valid}`
      return refuse(400, "InvalidActionForType", message)
    }
    const object = entry(known.things(neutron), id)
    if (object === undefined) return callback(known.module, "'NoneType' object is not subscriptable")
    if (!owns(scope, object)) {
      const why = "Invalid input for operation: Only admins can manipulate policies on objects they do not own."
      return callback(known.module, why)
    }
    const duplicate = Object.values(neutron.rbac_policies).some(
      (_) => _.object_id === id && _.action === action && _.target_tenant === target
    )
    if (duplicate) return refuse(409, "DuplicateRbacPolicy", "An RBAC policy already exists with those values.")
    return Result.succeed({ ...thing, object_type: type, object_id: id, action, target_tenant: target })
  },
  update: ({ neutron }, policy, given) =>
    Result.map(unused(neutron, policy), () => {
      policy.target_tenant = stringAt(given, "target_tenant") ?? policy.target_tenant
    }),
  remove: ({ neutron }, policy) => unused(neutron, policy)
}
