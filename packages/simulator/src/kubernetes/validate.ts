import { objectAt, valueAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { crdResource, definitionOf, versionsOf } from "./customResources.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import { isQuantity } from "./quantity.ts"
import { schemaErrors } from "./schema.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { type FieldError, invalidIf, invalidUnless, notSupported, required, requiredIf } from "./status.ts"
import { contents, label, labelRule } from "./validateContents.ts"
import { workloads } from "./validateWorkloads.ts"

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/

const formatRules = {
  subdomain:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  label1035:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
    "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
}

const nameErrors = (resource: string, name: string): ReadonlyArray<FieldError> => {
  const field = "metadata.name"
  if (name === "") return [required(field, "name or generateName is required")]
  if (resource.endsWith(".rbac.authorization.k8s.io")) {
    return invalidIf(/[/%]|^\.\.?$/.test(name), field, name, "may not contain '/' or '%'")
  }
  const [pattern, why, limit] =
    resource === "namespaces"
      ? ([label, labelRule, 63] as const)
      : resource === "services"
        ? ([label1035, formatRules.label1035, 63] as const)
        : ([subdomain, formatRules.subdomain, 253] as const)
  return [
    ...invalidIf(name.length > limit, field, name, `must be no more than ${limit} characters`),
    ...invalidIf(!pattern.test(name), field, name, why)
  ]
}

const labelErrors = (thing: Thing): ReadonlyArray<FieldError> =>
  Object.values(thing.metadata.labels ?? {}).flatMap((value) =>
    invalidIf(
      !/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/.test(value),
      "metadata.labels",
      value,
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
        "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used " +
        "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    )
  )

const bindingErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const { kind, name } = objectAt(thing, "roleRef")
  const kinds = thing.kind === "RoleBinding" ? ["Role", "ClusterRole"] : ["ClusterRole"]
  return [
    ...(kinds.includes(String(kind)) ? [] : [notSupported("roleRef.kind", kind ?? "", kinds)]),
    ...requiredIf(typeof name !== "string" || name === "", "roleRef.name")
  ]
}

const definitionErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const expected = `${String(objectAt(spec, "names")["plural"])}.${String(spec["group"])}`
  const { name } = thing.metadata
  return [
    ...invalidIf(name !== expected, "metadata.name", name, 'must be spec.names.plural+"."+spec.group'),
    ...requiredIf(versionsOf(thing).length === 0, "spec.versions"),
    ...versionsOf(thing).flatMap((_, index) => {
      const field = `spec.versions[${index}].schema.openAPIV3Schema`
      return requiredIf(valueAt(_, "schema", "openAPIV3Schema") === undefined, field, "schemas are required")
    })
  ]
}

const quotaErrors = (thing: Thing): ReadonlyArray<FieldError> =>
  Object.entries(objectAt(thing, "spec", "hard")).flatMap(([name, value]) =>
    invalidIf(!isQuantity(value), `spec.hard[${name}]`, value, "must be a quantity")
  )

const specific: Readonly<Record<string, (thing: Thing) => ReadonlyArray<FieldError>>> = {
  ...workloads,
  ...contents,
  resourcequotas: quotaErrors,
  "rolebindings.rbac.authorization.k8s.io": bindingErrors,
  "clusterrolebindings.rbac.authorization.k8s.io": bindingErrors,
  [crdResource]: definitionErrors
}

/** What must hold of an object and stay so, its name excepted. */
export const ownErrors = (state: KubernetesState, kind: Kind, thing: Thing): ReadonlyArray<FieldError> => [
  ...labelErrors(thing),
  ...(kind.custom ? schemaErrors(definitionOf(state, kind), thing) : (specific[resourceOf(kind)]?.(thing) ?? []))
]

/** What must hold of a new object. */
export const validate = (state: KubernetesState, kind: Kind, thing: Thing): Step<void> =>
  invalidUnless(kind, thing.metadata.name, [
    ...nameErrors(resourceOf(kind), thing.metadata.name),
    ...ownErrors(state, kind, thing)
  ])
