import { Result } from "effect"
import { assign, booleanAt, entry, type JsonObject, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { anything, type Attributes, flag, named, oneOf, orNull, owned, text } from "./attributes.ts"
import { referredAddressGroup } from "./addressGroups.ts"
import { failed, notFound, refuse } from "./errors.ts"
import { checkQuota } from "./quotas.ts"
import { newThing, owns, type Request, touch } from "./request.ts"
import { common, type Kind } from "./resource.ts"
import { convertRule, normalizedCidr, ruleKey } from "./securityGroupRules.ts"
import { dropPolicies, granted } from "./sharing.ts"
import type { NeutronState, RuleValues, SecurityGroup, SecurityGroupRule } from "./state.ts"

const isDefault = (group: SecurityGroup): boolean => group.name === "default"

export const referredGroup = ({ neutron, scope }: Request, id: string): Step<SecurityGroup> => {
  const group = entry(neutron.security_groups, id)
  return group !== undefined && (owns(scope, group) || granted(neutron, "security_group", group, scope))
    ? Result.succeed(group)
    : notFound("SecurityGroup", id)
}

const rulesOf = (neutron: NeutronState, groupId: string): ReadonlyArray<SecurityGroupRule> =>
  Object.values(neutron.security_group_rules).filter((_) => _.security_group_id === groupId)

const addRule = (neutron: NeutronState, now: string, group: SecurityGroup, given: Partial<RuleValues>) => {
  const rule: SecurityGroupRule = {
    ...newThing(now, group.project_id),
    description: null,
    security_group_id: group.id,
    direction: "egress",
    ethertype: "IPv4",
    protocol: null,
    port_range_min: null,
    port_range_max: null,
    remote_ip_prefix: null,
    remote_group_id: null,
    remote_address_group_id: null,
    ...given
  }
  neutron.security_group_rules[rule.id] = rule
}

/** The rules of a new group, copied from the default rules with new ids. */
const templates = (neutron: NeutronState, group: SecurityGroup): ReadonlyArray<RuleValues> =>
  Object.values(neutron.default_security_group_rules)
    .filter((_) => (isDefault(group) ? _.used_in_default_sg : _.used_in_non_default_sg))
    .map((_) => ({
      direction: _.direction,
      ethertype: _.ethertype,
      protocol: _.protocol,
      port_range_min: _.port_range_min,
      port_range_max: _.port_range_max,
      remote_ip_prefix: _.remote_ip_prefix,
      remote_group_id: _.remote_group_id === "PARENT" ? group.id : _.remote_group_id,
      remote_address_group_id: _.remote_address_group_id
    }))

/**
 * Neutron creates the group `default` at a project's first network, port, group, or list of groups. The project
 * need not exist. The group does not count against its quota, its four rules do.
 */
export const ensureDefaultGroup = ({ neutron, now }: Request, project: string): Step<SecurityGroup> => {
  const found = Object.values(neutron.security_groups).find((_) => _.project_id === project && isDefault(_))
  if (found !== undefined) return Result.succeed(found)
  const named = { name: "default", description: "Default security group" }
  const group: SecurityGroup = { ...newThing(now, project, named), stateful: true }
  const rules = templates(neutron, group)
  return Result.map(checkQuota(neutron, project, "security_group_rule", rules.length), () => {
    neutron.security_groups[group.id] = group
    for (const rule of rules) addRule(neutron, now, group, rule)
    return group
  })
}

const showRule = (neutron: NeutronState, rule: SecurityGroupRule) => {
  const group = neutron.security_groups[rule.security_group_id]
  const { name: _, ...shown } = common(rule)
  return {
    ...shown,
    normalized_cidr: normalizedCidr(rule.remote_ip_prefix),
    belongs_to_default_sg: group !== undefined && isDefault(group)
  }
}

const alreadyDefault = refuse(409, "SecurityGroupDefaultAlreadyExists", "Default security group already exists.")

export const securityGroups: Kind<SecurityGroup> = {
  resource: "security_group",
  collection: "security_groups",
  title: "SecurityGroup",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    stateful: { check: flag, initial: true },
    security_group_rules: { check: anything, post: false, put: false, filter: false },
    shared: { check: flag, post: false, put: false }
  },
  things: (neutron) => neutron.security_groups,
  shared: (neutron, group, scope) => granted(neutron, "security_group", group, scope),
  show: (neutron, group, scope) => ({
    ...common(group),
    shared: granted(neutron, "security_group", group, scope),
    security_group_rules: rulesOf(neutron, group.id).map((_) => showRule(neutron, _))
  }),
  beforeList: (request) => {
    const { query } = request.incoming
    const project = query.get("project_id") ?? query.get("tenant_id")
    return Result.map(ensureDefaultGroup(request, project ?? request.scope.projectId), () => undefined)
  },
  create: (request, thing, given) =>
    Result.gen(function* () {
      if (thing.name.toLowerCase() === "default") return yield* alreadyDefault
      yield* ensureDefaultGroup(request, thing.project_id)
      const group: SecurityGroup = { ...thing, stateful: booleanAt(given, "stateful") ?? true }
      const rules = templates(request.neutron, group)
      yield* checkQuota(request.neutron, thing.project_id, "security_group_rule", rules.length)
      for (const rule of rules) addRule(request.neutron, request.now, group, rule)
      return group
    }),
  update: ({ neutron }, group, given) => {
    const name = stringAt(given, "name")
    if (name !== undefined && isDefault(group)) {
      return refuse(409, "SecurityGroupCannotUpdateDefault", "Updating default security group not allowed.")
    }
    if (name?.toLowerCase() === "default") return alreadyDefault
    const bound = Object.values(neutron.ports).some((_) => _.security_groups.includes(group.id))
    if (bound && booleanAt(given, "stateful") === !group.stateful) {
      return refuse(409, "SecurityGroupInUse", `Security Group ${group.id} in use.`)
    }
    assign(group, given, { name: stringAt, description: stringAt, stateful: booleanAt })
    return Result.void
  },
  remove: ({ neutron, scope }, group) => {
    if (Object.values(neutron.ports).some((_) => _.security_groups.includes(group.id))) {
      return refuse(409, "SecurityGroupInUse", `Security Group ${group.id} in use.`)
    }
    if (isDefault(group) && !scope.admin) {
      const message = "Insufficient rights for removing default security group."
      return refuse(409, "SecurityGroupCannotRemoveDefault", message)
    }
    // The database deletes the group's rules and the rules that reference it.
    for (const rule of Object.values(neutron.security_group_rules)) {
      if (rule.security_group_id === group.id || rule.remote_group_id === group.id) {
        delete neutron.security_group_rules[rule.id]
      }
    }
    dropPolicies(neutron, group.id)
    return Result.void
  }
}

const groupIds = (given: ReadonlyArray<JsonObject>, key: string) => new Set(given.map((_) => stringAt(_, key)))

/**
 * All new rules are checked for duplicates before the first is created, against each other and against existing
 * ones.
 */
const checkRules = (request: Request, given: ReadonlyArray<JsonObject>): Step<void> =>
  Result.gen(function* () {
    const { neutron } = request
    if (groupIds(given, "security_group_id").size > 1) {
      const message = "Only allowed to update rules for one security profile at a time"
      return yield* refuse(400, "SecurityGroupNotSingleGroupRules", message)
    }
    if (groupIds(given, "project_id").size > 1) {
      const message = "Multiple tenants in bulk security group rule create not allowed"
      return yield* refuse(400, "SecurityGroupRulesNotSingleTenant", message)
    }
    const seen = new Set<string>()
    for (const one of given) {
      const rule = yield* convertRule(one)
      const addressGroup = stringAt(one, "remote_address_group_id")
      if (rule.remote_group_id !== null) yield* referredGroup(request, rule.remote_group_id)
      if (addressGroup !== undefined) yield* referredAddressGroup(request, addressGroup)
      const group = yield* referredGroup(request, stringAt(one, "security_group_id") ?? "")
      const key = ruleKey(rule)
      if (seen.has(key)) {
        return yield* refuse(409, "DuplicateSecurityGroupRuleInPost", "Duplicate Security Group Rule in POST.")
      }
      seen.add(key)
      const old = rulesOf(neutron, group.id).find((_) => ruleKey(_) === key)
      if (old !== undefined) {
        const message = `Security group rule already exists. Rule id is ${old.id}.`
        return yield* refuse(409, "SecurityGroupRuleExists", message)
      }
    }
  })

/** The revision of a group grows with its rules. */
const touchGroup = ({ neutron, now }: Request, id: string): void => {
  const group = neutron.security_groups[id]
  if (group !== undefined) touch(group, now)
}

const ruleAttributes: Attributes = {
  ...owned,
  description: { check: orNull(text), initial: "" },
  // Neutron answers a text that is no id as it answers the id of an absent group.
  security_group_id: { check: text, required: true, put: false },
  direction: { check: oneOf("ingress", "egress"), required: true, put: false },
  // Attributes whose conversion has errors of its own.
  ethertype: { check: anything, put: false },
  protocol: { check: anything, put: false },
  port_range_min: { check: anything, put: false },
  port_range_max: { check: anything, put: false },
  remote_ip_prefix: { check: anything, put: false },
  remote_group_id: { check: anything, put: false },
  remote_address_group_id: { check: anything, put: false },
  normalized_cidr: { check: anything, post: false, put: false, filter: false },
  belongs_to_default_sg: { check: flag, post: false, put: false }
}

export const securityGroupRules: Kind<SecurityGroupRule> = {
  policed: true,
  resource: "security_group_rule",
  collection: "security_group_rules",
  title: "SecurityGroupRule",
  updates: true,
  attributes: ruleAttributes,
  things: (neutron) => neutron.security_group_rules,
  show: showRule,
  attach: (_, __, given) => Result.map(convertRule(given), () => undefined),
  beforeBulk: checkRules,
  create: (request, thing, given) =>
    Result.map(convertRule(given), (rule) => {
      const security_group_id = stringAt(given, "security_group_id") ?? ""
      touchGroup(request, security_group_id)
      return { ...thing, ...rule, security_group_id }
    }),
  // The API allows a change of the description; the simulated release fails with a 500.
  update: () => failed,
  remove: (request, rule) => {
    touchGroup(request, rule.security_group_id)
    return Result.void
  }
}
