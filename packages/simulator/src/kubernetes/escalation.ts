import { objectAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import type { PolicyRule } from "./clusterRoles.ts"
import { builtInKind, resourceOf } from "./kinds.ts"
import {
  type Action,
  allows,
  bindingResource,
  clusterBindingResource,
  clusterRoleResource,
  covers,
  roleResource,
  rulesFor,
  rulesOf,
  rulesOfBinding
} from "./rbac.ts"
import type { Request } from "./request.ts"
import type { Thing } from "./state.ts"
import { forbidden, notFound } from "./status.ts"
import { Result } from "effect"

const group = "rbac.authorization.k8s.io"

/**
 * Privilege escalation: a caller may grant, by a role or a binding, only rules that it holds itself, unless it
 * may `escalate` or `bind`.
 */
export const checkEscalation = (request: Request, after: Thing): Step<void> => {
  const resource = resourceOf(request.kind)
  if (request.who.groups.includes("system:masters")) return Result.void
  if (resource === roleResource || resource === clusterRoleResource) return ofRole(request, after)
  if (resource === bindingResource || resource === clusterBindingResource) return ofBinding(request, after)
  return Result.void
}

const ofRole = (request: Request, role: Thing): Step<void> => {
  const { name, namespace = "" } = role.metadata
  const escalate = { verb: "escalate", group, resource: request.kind.plural, subresource: "", namespace, name }
  return allows(request.state, request.who, escalate).allowed ? Result.void : holding(request, role, rulesOf(role))
}

const ofBinding = (request: Request, binding: Thing): Step<void> => {
  const ref = objectAt(binding, "roleRef")
  const resource = ref["kind"] === "Role" ? "roles" : "clusterroles"
  const name = stringAt(ref, "name") ?? ""
  const { namespace = "" } = binding.metadata
  const bind = { verb: "bind", group, resource, subresource: "", namespace, name }
  if (allows(request.state, request.who, bind).allowed) return Result.void
  const rules = rulesOfBinding(request.state, binding)
  return rules === undefined ? notFound(builtInKind(`${resource}.${group}`), name) : holding(request, binding, rules)
}

const holding = ({ kind, state, who }: Request, thing: Thing, rules: ReadonlyArray<PolicyRule>): Step<void> => {
  const held = rulesFor(state, who, thing.metadata.namespace ?? "").rules.map((_) => _.rule)
  const lacking = rules.filter((rule) => !actionsOf(rule).every((action) => held.some((_) => covers(_, action))))
  if (lacking.length === 0) return Result.void
  const groups = `[${who.groups.map((_) => JSON.stringify(_)).join(" ")}]`
  return forbidden(
    kind,
    thing.metadata.name,
    `user ${JSON.stringify(who.name)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n` +
      lacking.map(written).join("\n")
  )
}

/** A rule as single permissions; a `*` is covered only by another `*`. */
const actionsOf = (rule: PolicyRule): ReadonlyArray<Action> =>
  rule.verbs.flatMap((verb) => [
    ...(rule.nonResourceURLs ?? []).map((path) => ({ verb, path })),
    ...(rule.apiGroups ?? []).flatMap((apiGroup) =>
      (rule.resources ?? []).flatMap((full) => {
        const [resource = "", subresource = ""] = full.split("/")
        const names = rule.resourceNames === undefined || rule.resourceNames.length === 0 ? [""] : rule.resourceNames
        return names.map((name) => ({ verb, group: apiGroup, resource, subresource, namespace: "", name }))
      })
    )
  ])

const list = (values: ReadonlyArray<string>): string => `[${values.map((_) => JSON.stringify(_)).join(" ")}]`

const written = (rule: PolicyRule): string => {
  const parts = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["ResourceNames", rule.resourceNames],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["Verbs", rule.verbs]
  ] as const
  return `{${parts.flatMap(([name, values]) => (values === undefined || values.length === 0 ? [] : [`${name}:${list(values)}`])).join(", ")}}`
}
