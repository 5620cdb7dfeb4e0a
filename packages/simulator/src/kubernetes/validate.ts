import { objectAt, objectsAt, valueAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { crdResource, definitionOf, versionsOf } from "./customResources.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import { isQuantity } from "./quantity.ts"
import { schemaErrors } from "./schema.ts"
import type { KubernetesState, Meta, Thing } from "./state.ts"
import {
  type FieldError,
  invalidIf,
  invalidUnless,
  invalidValue,
  notSupported,
  required,
  requiredIf,
  tooLong
} from "./status.ts"
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

type NameRule = (name: string, field: string) => ReadonlyArray<FieldError>

const rule =
  (pattern: RegExp, why: string, limit: number): NameRule =>
  (name, field) => [
    ...invalidIf(name.length > limit, field, name, `must be no more than ${limit} characters`),
    ...invalidIf(!pattern.test(name), field, name, why)
  ]

const ruleOf = (resource: string): NameRule => {
  if (resource.endsWith(".rbac.authorization.k8s.io")) {
    return (name, field) => invalidIf(/[/%]|^\.\.?$/.test(name), field, name, "may not contain '/' or '%'")
  }
  if (resource === "namespaces") return rule(label, labelRule, 63)
  if (resource === "services") return rule(label1035, formatRules.label1035, 63)
  return rule(subdomain, formatRules.subdomain, 253)
}

const nameErrors = (resource: string, { generateName, name }: Meta): ReadonlyArray<FieldError> => {
  const errors = ruleOf(resource)
  // The last character of a prefix is not the last of the name.
  const prefix = typeof generateName === "string" && generateName !== "" ? generateName.replace(/-$/, "a") : undefined
  return [
    ...(prefix === undefined
      ? []
      : errors(prefix, "metadata.generateName").map((_) =>
          invalidValue(_.field, generateName, _.message.replace(/^Invalid value: ".*?": /, ""))
        )),
    ...(name === "" ? [required("metadata.name", "name or generateName is required")] : errors(name, "metadata.name"))
  ]
}

const qualified = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/

/** `example.org/name`, where the first part may be missing. */
const qualifiedErrors = (field: string, shown: string, name = shown): ReadonlyArray<FieldError> => {
  const [first = "", second, ...rest] = name.split("/")
  const part = second ?? first
  if (rest.length > 0) {
    const why =
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
      "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    return [invalidValue(field, shown, why)]
  }
  return [
    ...(second === undefined
      ? []
      : first === ""
        ? [invalidValue(field, shown, "prefix part must be non-empty")]
        : invalidIf(!subdomain.test(first), field, shown, `prefix part ${formatRules.subdomain}`)),
    ...(part === "" ? [invalidValue(field, shown, "name part must be non-empty")] : []),
    ...invalidIf(part.length > 63, field, shown, "name part must be no more than 63 characters"),
    ...invalidIf(
      !qualified.test(part),
      field,
      shown,
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
        "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    )
  ]
}

const labelErrors = ({ labels = {} }: Meta): ReadonlyArray<FieldError> =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedErrors("metadata.labels", key),
    ...invalidIf(value.length > 63, "metadata.labels", value, "must be no more than 63 characters"),
    ...invalidIf(
      !/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value),
      "metadata.labels",
      value,
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
        "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used " +
        "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    )
  ])

/** The size of all annotations together, in bytes. */
const annotationLimit = 256 * 1024

const annotationErrors = ({ annotations = {} }: Meta): ReadonlyArray<FieldError> => {
  const size = Object.entries(annotations)
    .flat()
    .reduce((sum, _) => sum + Buffer.byteLength(_), 0)
  return [
    ...Object.keys(annotations).flatMap((_) => qualifiedErrors("metadata.annotations", _, _.toLowerCase())),
    ...(size > annotationLimit ? [tooLong("metadata.annotations", annotationLimit)] : [])
  ]
}

const ownerErrors = (meta: Meta): ReadonlyArray<FieldError> => {
  const field = "metadata.ownerReferences"
  const owners = objectsAt(meta, "ownerReferences")
  const controllers = owners
    .filter((_) => _["controller"] === true)
    .map((_) => `${String(_["kind"])}/${String(_["name"])}`)
  return [
    ...owners.flatMap((owner) => [
      ...invalidIf(!owner["apiVersion"], `${field}.apiVersion`, "", "version must not be empty"),
      ...["kind", "name", "uid"].flatMap((key) => invalidIf(!owner[key], `${field}.${key}`, "", "must not be empty"))
    ]),
    ...invalidIf(
      controllers.length > 1,
      field,
      owners.map(({ apiVersion, blockOwnerDeletion, controller, kind, name, uid }) => ({
        apiVersion,
        kind,
        name,
        uid,
        controller,
        blockOwnerDeletion
      })),
      `Only one reference can have Controller set to true. Found "true" in references for ${controllers[0]} and ` +
        String(controllers[1])
    )
  ]
}

const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"])

const finalizerErrors = ({ finalizers = [] }: Meta): ReadonlyArray<FieldError> =>
  finalizers.flatMap((name, index) => {
    const errors = qualifiedErrors(`metadata.finalizers[${index}]`, name)
    if (errors.length > 0) return errors
    return invalidIf(
      !name.includes("/") && !standardFinalizers.has(name),
      `metadata.finalizers[${index}]`,
      name,
      "name is neither a standard finalizer name nor is it fully qualified"
    )
  })

const metadataErrors = (meta: Meta): ReadonlyArray<FieldError> => [
  ...labelErrors(meta),
  ...annotationErrors(meta),
  ...ownerErrors(meta),
  ...finalizerErrors(meta)
]

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
  ...metadataErrors(thing.metadata),
  ...(kind.custom ? schemaErrors(definitionOf(state, kind), thing) : (specific[resourceOf(kind)]?.(thing) ?? []))
]

/** What must hold of a new object. */
export const validate = (state: KubernetesState, kind: Kind, thing: Thing): Step<void> =>
  invalidUnless(kind, thing.metadata.name, [
    ...nameErrors(resourceOf(kind), thing.metadata),
    ...ownErrors(state, kind, thing)
  ])
