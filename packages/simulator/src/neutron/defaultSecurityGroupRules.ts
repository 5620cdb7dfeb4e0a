import { Result } from "effect"
import { booleanAt, stringAt } from "../Json.ts"
import { anything, type Attributes, flag, oneOf, orNull, readOnly, text } from "./attributes.ts"
import { policyRefused, refuse } from "./errors.ts"
import { common, type Kind } from "./resource.ts"
import { convertRule, ruleKey } from "./securityGroupRules.ts"
import type { DefaultRule } from "./state.ts"

const attributes: Attributes = {
  ...readOnly,
  description: { check: orNull(text), initial: "" },
  direction: { check: oneOf("ingress", "egress"), required: true },
  ethertype: { check: anything },
  protocol: { check: anything },
  port_range_min: { check: anything },
  port_range_max: { check: anything },
  remote_ip_prefix: { check: anything },
  remote_group_id: { check: orNull(text) },
  remote_address_group_id: { check: orNull(text) },
  used_in_default_sg: { check: flag, initial: false },
  used_in_non_default_sg: { check: flag, initial: true }
}

const adminOnly = (rule: string) => policyRefused(`${rule}_default_security_group_rule`)

/**
 * The rules of new security groups. Every caller may read them, only administrators write them; they belong to
 * no project.
 */
export const defaultSecurityGroupRules: Kind<DefaultRule> = {
  resource: "default_security_group_rule",
  collection: "default_security_group_rules",
  title: "DefaultSecurityGroupRule",
  updates: false,
  attributes,
  things: (neutron) => neutron.default_security_group_rules,
  shared: () => true,
  show: (_, rule) => {
    // It has no project, no name and no tags.
    const hidden = ["name", "project_id", "tenant_id", "tags"]
    return Object.fromEntries(Object.entries(common(rule)).filter(([key]) => !hidden.includes(key)))
  },
  permit: ({ scope }, method) => (scope.admin ? Result.void : adminOnly(method)),
  create: ({ neutron }, thing, given) =>
    Result.gen(function* () {
      const values = yield* convertRule(given)
      const rule: DefaultRule = {
        ...thing,
        project_id: "",
        ...values,
        used_in_default_sg: booleanAt(given, "used_in_default_sg") ?? false,
        used_in_non_default_sg: booleanAt(given, "used_in_non_default_sg") ?? true,
        description: stringAt(given, "description") ?? ""
      }
      const same = Object.values(neutron.default_security_group_rules).find((_) => ruleKey(_) === ruleKey(rule))
      if (same !== undefined) {
        const message = `Default Security group rule already exists. Rule id is ${same.id}.`
        return yield* refuse(409, "DefaultSecurityGroupRuleExists", message)
      }
      return rule
    }),
  update: () => Result.void,
  remove: () => Result.void
}
