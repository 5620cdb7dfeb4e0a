import { type JsonObject, numberAt, objectAt, objectsAt, stringAt, valueAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { crdResource, definitionOf, versionsOf } from "./customResources.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import { isQuantity, parseQuantity } from "./quantity.ts"
import { schemaErrors } from "./schema.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { omit } from "./store.ts"
import {
  type FieldError,
  forbiddenValue,
  invalidIf,
  invalidUnless,
  notSupported,
  required,
  requiredIf
} from "./status.ts"

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/

const formatRules = {
  label:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
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
      ? ([label, formatRules.label, 63] as const)
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

const resourceErrors = (path: string, container: JsonObject): ReadonlyArray<FieldError> => {
  const requests = objectAt(container, "resources", "requests")
  const limits = objectAt(container, "resources", "limits")
  return Object.entries(requests).flatMap(([name, request]) => {
    const limit = limits[name]
    const [a, b] = [parseQuantity(request), parseQuantity(limit)]
    return invalidIf(
      a !== undefined && b !== undefined && a.milli > b.milli,
      `${path}.resources.requests`,
      request,
      `must be less than or equal to ${name} limit of ${String(limit)}`
    )
  })
}

const containerErrors = (path: string, container: JsonObject): ReadonlyArray<FieldError> => {
  const name = stringAt(container, "name") ?? ""
  return [
    ...requiredIf(name === "", `${path}.name`),
    ...invalidIf(name !== "" && !label.test(name), `${path}.name`, name, formatRules.label),
    ...requiredIf((stringAt(container, "image") ?? "") === "", `${path}.image`),
    ...resourceErrors(path, container)
  ]
}

const podSpecErrors = (path: string, spec: JsonObject): ReadonlyArray<FieldError> => {
  const containers = objectsAt(spec, "containers")
  if (containers.length === 0) return [required(`${path}.containers`)]
  const policy = stringAt(spec, "restartPolicy") ?? ""
  const policies = ["Always", "Never", "OnFailure"]
  return [
    ...containers.flatMap((_, index) => containerErrors(`${path}.containers[${index}]`, _)),
    ...(policies.includes(policy) ? [] : [notSupported(`${path}.restartPolicy`, policy, policies)])
  ]
}

const workloadErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const wanted = objectAt(spec, "selector", "matchLabels")
  const labels = objectAt(spec, "template", "metadata", "labels")
  return [
    ...requiredIf(spec["selector"] === undefined, "spec.selector"),
    ...invalidIf(
      !Object.entries(wanted).every(([key, value]) => labels[key] === value),
      "spec.template.metadata.labels",
      labels,
      "`selector` does not match template `labels`"
    ),
    ...podSpecErrors("spec.template.spec", objectAt(spec, "template", "spec"))
  ]
}

const claimErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const storage = objectAt(spec, "resources", "requests")["storage"]
  const isPositive = (parseQuantity(storage)?.milli ?? 0n) > 0n
  const field = "spec.resources[storage]"
  return [
    ...requiredIf(!Array.isArray(spec["accessModes"]), "spec.accessModes", "at least 1 access mode is required"),
    ...requiredIf(storage === undefined, field),
    ...invalidIf(storage !== undefined && !isPositive, field, storage, "must be greater than zero")
  ]
}

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

const servicePortErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const none = objectsAt(spec, "ports").length === 0 && spec["clusterIP"] !== "None" && spec["type"] !== "ExternalName"
  return none ? [required("spec.ports")] : []
}

const quotaErrors = (thing: Thing): ReadonlyArray<FieldError> =>
  Object.entries(objectAt(thing, "spec", "hard")).flatMap(([name, value]) =>
    invalidIf(!isQuantity(value), `spec.hard[${name}]`, value, "must be a quantity")
  )

const leaseErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const least = (name: string, floor: number, detail: string) => {
    const given = numberAt(spec, name)
    return invalidIf(given !== undefined && given < floor, `spec.${name}`, given, detail)
  }
  return [
    ...least("leaseDurationSeconds", 1, "must be greater than 0"),
    ...least("leaseTransitions", 0, "must be greater than or equal to 0")
  ]
}

const specific: Readonly<Record<string, (thing: Thing) => ReadonlyArray<FieldError>>> = {
  pods: (_) => podSpecErrors("spec", objectAt(_, "spec")),
  services: servicePortErrors,
  persistentvolumeclaims: claimErrors,
  resourcequotas: quotaErrors,
  "leases.coordination.k8s.io": leaseErrors,
  "deployments.apps": workloadErrors,
  "statefulsets.apps": workloadErrors,
  "replicasets.apps": workloadErrors,
  "jobs.batch": (_) => podSpecErrors("spec.template.spec", objectAt(_, "spec", "template", "spec")),
  "rolebindings.rbac.authorization.k8s.io": bindingErrors,
  "clusterrolebindings.rbac.authorization.k8s.io": bindingErrors,
  [crdResource]: definitionErrors
}

/** What must hold of a new object and stay so. */
export const validate = (state: KubernetesState, kind: Kind, thing: Thing): Step<void> => {
  const resource = resourceOf(kind)
  const own = kind.custom ? schemaErrors(definitionOf(state, kind), thing) : (specific[resource]?.(thing) ?? [])
  return invalidUnless(kind, thing.metadata.name, [
    ...nameErrors(resource, thing.metadata.name),
    ...labelErrors(thing),
    ...own
  ])
}

const same = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b)

/** The same for values that differ in the order of their keys alone. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  ) ?? "undefined"

const podChange = (before: Thing, after: Thing): ReadonlyArray<FieldError> => {
  const fixed = (thing: Thing) => {
    const spec = omit(objectAt(thing, "spec"), "activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds")
    return { ...spec, containers: objectsAt(spec, "containers").map(({ image: _, ...container }) => container) }
  }
  return same(fixed(before), fixed(after))
    ? []
    : [
        forbiddenValue(
          "spec",
          "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
            "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
            "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
        )
      ]
}

const claimChange = (before: Thing, after: Thing): ReadonlyArray<FieldError> => {
  const fixed = (thing: Thing) => ({ ...objectAt(thing, "spec"), resources: undefined })
  if (!same(fixed(before), fixed(after))) {
    return [
      forbiddenValue(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
      )
    ]
  }
  const storage = (thing: Thing) =>
    parseQuantity(objectAt(thing, "spec", "resources", "requests")["storage"])?.milli ?? 0n
  if (storage(after) === storage(before)) return []
  if (objectAt(before, "status")["phase"] !== "Bound") {
    return [forbiddenValue("spec", "spec is immutable after creation except resources.requests for bound claims")]
  }
  return storage(after) < storage(before)
    ? [forbiddenValue("spec.resources.requests.storage", "field can not be less than previous value")]
    : []
}

const immutable =
  (...path: ReadonlyArray<string>) =>
  (before: Thing, after: Thing): ReadonlyArray<FieldError> => {
    const [was, is] = [valueAt(before, ...path), valueAt(after, ...path)]
    return invalidIf(!same(was, is), path.join("."), is, "field is immutable")
  }

const sealed = (before: Thing, after: Thing): ReadonlyArray<FieldError> =>
  before["immutable"] === true && !same([before["data"], before["immutable"]], [after["data"], after["immutable"]])
    ? [forbiddenValue("data", "field is immutable when `immutable` is set")]
    : []

const roleRef = (before: Thing, after: Thing): ReadonlyArray<FieldError> =>
  invalidIf(!same(before["roleRef"], after["roleRef"]), "roleRef", after["roleRef"], "cannot change roleRef")

const changes: Readonly<Record<string, (before: Thing, after: Thing) => ReadonlyArray<FieldError>>> = {
  pods: podChange,
  persistentvolumeclaims: claimChange,
  configmaps: sealed,
  secrets: (before, after) => [...sealed(before, after), ...immutable("type")(before, after)],
  "deployments.apps": immutable("spec", "selector"),
  "replicasets.apps": immutable("spec", "selector"),
  "statefulsets.apps": immutable("spec", "selector"),
  "jobs.batch": immutable("spec", "template"),
  "rolebindings.rbac.authorization.k8s.io": roleRef,
  "clusterrolebindings.rbac.authorization.k8s.io": roleRef,
  "backups.postgresql.cnpg.io": (before, after) =>
    invalidIf(!same(before["spec"], after["spec"]), "spec", "object", "BackupSpec is immutable once set"),
  "scheduledbackups.postgresql.cnpg.io": immutable("spec", "cluster"),
  [crdResource]: immutable("spec", "group")
}

/** What may not change about an object that is there. */
export const validateChange = (kind: Kind, before: Thing, after: Thing): Step<void> =>
  invalidUnless(kind, after.metadata.name, changes[resourceOf(kind)]?.(before, after) ?? [])
