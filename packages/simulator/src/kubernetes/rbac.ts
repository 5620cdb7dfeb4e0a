import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from "../Json.ts"
import type { PolicyRule } from "./clusterRoles.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { allOf, find, inNamespace } from "./store.ts"

export interface Identity {
  readonly name: string
  readonly uid: string
  readonly groups: ReadonlyArray<string>
  readonly extra: Readonly<Record<string, ReadonlyArray<string>>>
}

/** The attributes of an authorization check. */
export interface ResourceAction {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export interface PathAction {
  readonly verb: string
  readonly path: string
}

export type Action = ResourceAction | PathAction

export type Decision =
  | { readonly allowed: true; readonly reason: string }
  /** The API server's reason, which follows "is forbidden: ". */
  | { readonly allowed: false; readonly reason: string }

const group = "rbac.authorization.k8s.io"
export const roleResource = `roles.${group}`
export const bindingResource = `rolebindings.${group}`
export const clusterRoleResource = `clusterroles.${group}`
export const clusterBindingResource = `clusterrolebindings.${group}`

/** `system:masters`, the group that bypasses authorization. */
const masters = "system:masters"

export const allows = (state: KubernetesState, who: Identity, action: Action): Decision => {
  if (who.groups.includes(masters)) return { allowed: true, reason: "" }
  const { missing, rules } = rulesFor(state, who, "path" in action ? "" : action.namespace)
  const hit = rules.find((_) => covers(_.rule, action))
  if (hit !== undefined) return { allowed: true, reason: hit.because }
  const lost = missing.length === 0 ? "" : `: RBAC: ${missing.length === 1 ? missing[0] : `[${missing.join(", ")}]`}`
  return { allowed: false, reason: denial(who, action) + lost }
}

const denial = (who: Identity, action: Action): string => {
  if ("path" in action) return `User "${who.name}" cannot ${action.verb} path "${action.path}"`
  const { namespace, resource, subresource, verb } = action
  const full = subresource === "" ? resource : `${resource}/${subresource}`
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`
  return `User "${who.name}" cannot ${verb} resource "${full}" in API group "${action.group}" ${scope}`
}

interface Granted {
  readonly rule: PolicyRule
  /** The reason in a review's answer. */
  readonly because: string
}

/** The rules of a user: of the whole cluster, and of one namespace when given. */
export const rulesFor = (
  state: KubernetesState,
  who: Identity,
  namespace: string
): { readonly rules: ReadonlyArray<Granted>; readonly missing: ReadonlyArray<string> } => {
  const bindings = [
    ...allOf(state, clusterBindingResource),
    ...(namespace === "" ? [] : inNamespace(state, bindingResource, namespace))
  ].flatMap((binding) => {
    const home = binding.metadata.namespace ?? ""
    const subject = objectsAt(binding, "subjects").find((_) => isSubject(who, _, home))
    return subject === undefined ? [] : [{ binding, subject }]
  })
  const granted = bindings.map((_) => ({ ..._, rules: rulesOfBinding(state, _.binding) }))
  return {
    rules: granted.flatMap(({ binding, rules, subject }) =>
      (rules ?? []).map((rule) => ({ rule, because: why(binding, subject) }))
    ),
    missing: granted.flatMap(({ binding, rules }) => (rules === undefined ? [`${roleName(binding)} not found`] : []))
  }
}

const roleName = (binding: Thing): string => {
  const { kind, name } = objectAt(binding, "roleRef")
  return `${String(kind).toLowerCase()}.${group} "${String(name)}"`
}

const why = (binding: Thing, subject: JsonObject): string => {
  const { kind, name } = objectAt(binding, "roleRef")
  const own = binding.metadata.namespace
  const full = own === undefined ? binding.metadata.name : `${binding.metadata.name}/${own}`
  const home = stringAt(subject, "namespace") ?? own ?? ""
  const holder = `${String(subject["name"])}${subject["kind"] === "ServiceAccount" ? `/${home}` : ""}`
  return `RBAC: allowed by ${binding.kind} "${full}" of ${String(kind)} "${String(name)}" to ${String(subject["kind"])} "${holder}"`
}

const isSubject = (who: Identity, subject: JsonObject, namespace: string): boolean => {
  const name = stringAt(subject, "name") ?? ""
  if (subject["kind"] === "User") return who.name === name
  if (subject["kind"] === "Group") return who.groups.includes(name)
  const home = stringAt(subject, "namespace") ?? namespace
  return subject["kind"] === "ServiceAccount" && who.name === `system:serviceaccount:${home}:${name}`
}

/** The rules of a binding's role; undefined when the role does not exist. */
export const rulesOfBinding = (state: KubernetesState, binding: Thing): ReadonlyArray<PolicyRule> | undefined => {
  const { kind, name } = objectAt(binding, "roleRef")
  const role =
    kind === "Role"
      ? find(state, roleResource, binding.metadata.namespace, String(name))
      : find(state, clusterRoleResource, undefined, String(name))
  return role && [...rulesOf(role), ...aggregated(state, role)]
}

/** An aggregated role has the rules of the roles that its label selectors match. */
const aggregated = (state: KubernetesState, role: Thing): ReadonlyArray<PolicyRule> => {
  const selectors = objectsAt(role, "aggregationRule", "clusterRoleSelectors")
  const wanted = selectors.map((_) => Object.entries(objectAt(_, "matchLabels")))
  return allOf(state, clusterRoleResource)
    .filter((_) => wanted.some((labels) => labels.every(([key, value]) => _.metadata.labels?.[key] === value)))
    .flatMap(rulesOf)
}

export const rulesOf = (role: JsonObject): ReadonlyArray<PolicyRule> => objectsAt(role, "rules").map(ruleOf)

const ruleOf = (rule: JsonObject): PolicyRule => ({
  apiGroups: stringsAt(rule, "apiGroups") ?? [],
  resources: stringsAt(rule, "resources") ?? [],
  resourceNames: stringsAt(rule, "resourceNames") ?? [],
  nonResourceURLs: stringsAt(rule, "nonResourceURLs") ?? [],
  verbs: stringsAt(rule, "verbs") ?? []
})

const has = (list: ReadonlyArray<string> | undefined, wanted: string): boolean =>
  list !== undefined && (list.includes("*") || list.includes(wanted))

export const covers = (rule: PolicyRule, action: Action): boolean => {
  if (!has(rule.verbs, action.verb)) return false
  if ("path" in action) return (rule.nonResourceURLs ?? []).some((_) => isBelow(action.path, _))
  const { name, resource, resourceNames, subresource } = { ...rule, ...action }
  const full = subresource === "" ? resource : `${resource}/${subresource}`
  return (
    has(rule.apiGroups, action.group) &&
    (has(rule.resources, full) || (subresource !== "" && rule.resources?.includes(`*/${subresource}`) === true)) &&
    // A rule with resource names never covers a request without a name (a list, a create).
    (resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(name))
  )
}

const isBelow = (path: string, pattern: string): boolean =>
  pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)))
