import { Result } from "effect"
import { booleanAt, stringAt } from "../Json.ts"
import { anything, type Attributes, flag, type Given, named, oneOf, orNull, owned, text, uuid } from "./attributes.ts"
import { referredAddressGroup } from "./addressgroups.ts"
import { failed, notFound, refuse, type Step } from "./errors.ts"
import { checkQuota } from "./quotas.ts"
import { entry, newThing, owns, type Request } from "./request.ts"
import { common, type Kind } from "./resource.ts"
import { convertRule, normalizedCidr, ruleKey, type RuleValues } from "./rules.ts"
import { dropPolicies, granted } from "./sharing.ts"
import type { NeutronState, SecurityGroup, SecurityGroupRule } from "./state.ts"

export const isDefault = (group: SecurityGroup): boolean => group.name === "default"

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

/** The rules that a new group begins with; the ids of the templates are not theirs. */
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
 * Neutron makes the group `default` when a project is first met: by a network,
 * a port, a group, or somebody's look at its groups. Nobody asks whether the
 * project exists. The group is beyond its quota, its four rules are not.
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
    group.name = name ?? group.name
    group.description = stringAt(given, "description") ?? group.description
    group.stateful = booleanAt(given, "stateful") ?? group.stateful
    return Result.succeed(undefined)
  },
  remove: ({ neutron, scope }, group) => {
    if (Object.values(neutron.ports).some((_) => _.security_groups.includes(group.id))) {
      return refuse(409, "SecurityGroupInUse", `Security Group ${group.id} in use.`)
    }
    if (isDefault(group) && !scope.admin) {
      const message = "Insufficient rights for removing default security group."
      return refuse(409, "SecurityGroupCannotRemoveDefault", message)
    }
    // The database drops the rules of the group and those that point at it.
    for (const rule of Object.values(neutron.security_group_rules)) {
      if (rule.security_group_id === group.id || rule.remote_group_id === group.id) {
        delete neutron.security_group_rules[rule.id]
      }
    }
    dropPolicies(neutron, group.id)
    return Result.succeed(undefined)
  }
}

const groupIds = (given: ReadonlyArray<Given>, key: string) => new Set(given.map((_) => stringAt(_, key)))

/** Duplicates are looked for among all new rules before the first is made, against each other and against the old. */
const checkRules = (request: Request, given: ReadonlyArray<Given>): Step<void> =>
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

const ruleAttributes: Attributes = {
  ...owned,
  description: { check: orNull(text), initial: "" },
  security_group_id: { check: uuid, required: true, put: false },
  direction: { check: oneOf("ingress", "egress"), required: true, put: false },
  // Converted with errors of their own.
  ethertype: { check: anything, put: false },
  protocol: { check: anything, put: false },
  port_range_min: { check: anything, put: false },
  port_range_max: { check: anything, put: false },
  remote_ip_prefix: { check: anything, put: false },
  remote_group_id: { check: orNull(uuid), put: false },
  remote_address_group_id: { check: orNull(uuid), put: false },
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
  create: (_, thing, given) =>
    Result.map(convertRule(given), (rule) => ({
      ...thing,
      ...rule,
      security_group_id: stringAt(given, "security_group_id") ?? ""
    })),
  // Its description may be changed by the book; the release that is simulated breaks on it.
  update: () => failed,
  remove: () => Result.succeed(undefined)
}
