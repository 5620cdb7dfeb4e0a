import { objectAt, objectsAt, valueAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { canonicalJson } from "./canonicalJson.ts"
import { crdResource, definitionOf } from "./customResources.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import { parseQuantity } from "./quantity.ts"
import { statusErrors } from "./schema.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { type FieldError, forbiddenValue, invalidIf, invalidUnless } from "./status.ts"
import { omit } from "./store.ts"
import { ownErrors } from "./validate.ts"

const same = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b)

type Changes = (before: Thing, after: Thing) => ReadonlyArray<FieldError>

const podChange: Changes = (before, after) => {
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

const claimChange: Changes = (before, after) => {
  const isBound = objectAt(before, "status")["phase"] === "Bound"
  const fixed = (thing: Thing) => ({ ...objectAt(thing, "spec"), resources: undefined })
  const was = fixed(before)
  // A claim without a class may get one until it is bound.
  const classed = valueAt(before, "spec", "storageClassName") === undefined && !isBound
  const compared = classed ? { ...was, storageClassName: valueAt(after, "spec", "storageClassName") } : was
  if (!same(compared, fixed(after))) {
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
  if (!isBound) {
    return [forbiddenValue("spec", "spec is immutable after creation except resources.requests for bound claims")]
  }
  return storage(after) < storage(before)
    ? [forbiddenValue("spec.resources.requests.storage", "field can not be less than previous value")]
    : []
}

const immutable =
  (...path: ReadonlyArray<string>): Changes =>
  (before, after) => {
    const [was, is] = [valueAt(before, ...path), valueAt(after, ...path)]
    return invalidIf(!same(was, is), path.join("."), is ?? null, "field is immutable")
  }

const sealed: Changes = (before, after) => {
  if (before["immutable"] !== true) return []
  const changed = [
    ...(after["immutable"] === true ? [] : ["immutable"]),
    ...["data", "binaryData"].filter((_) => !same(before[_] ?? {}, after[_] ?? {}))
  ]
  return changed.map((_) => forbiddenValue(_, "field is immutable when `immutable` is set"))
}

const roleRef: Changes = (before, after) =>
  invalidIf(!same(before["roleRef"], after["roleRef"]), "roleRef", after["roleRef"], "cannot change roleRef")

const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds"
]

const statefulSetChange: Changes = (before, after) => {
  const fixed = (_: Thing) => omit(objectAt(_, "spec"), ...changeable)
  const words = changeable.map((_) => `'${_}'`)
  return same(fixed(before), fixed(after))
    ? []
    : [
        forbiddenValue(
          "spec",
          `updates to statefulset spec for fields other than ${words.slice(0, -1).join(", ")} and ${words.at(-1)} are ` +
            "forbidden"
        )
      ]
}

const serviceChange: Changes = (before, after) => {
  const [was, is] = [valueAt(before, "spec", "clusterIP"), valueAt(after, "spec", "clusterIP")]
  return invalidIf(
    was !== undefined && was !== is && valueAt(after, "spec", "type") !== "ExternalName",
    "spec.clusterIPs[0]",
    valueAt(after, "spec", "clusterIPs"),
    "may not change once set"
  )
}

const changes: Readonly<Record<string, Changes>> = {
  pods: podChange,
  services: serviceChange,
  persistentvolumeclaims: claimChange,
  configmaps: sealed,
  secrets: (before, after) => [...immutable("type")(before, after), ...sealed(before, after)],
  "deployments.apps": immutable("spec", "selector"),
  "replicasets.apps": immutable("spec", "selector"),
  "daemonsets.apps": immutable("spec", "selector"),
  "statefulsets.apps": statefulSetChange,
  "jobs.batch": immutable("spec", "template"),
  "rolebindings.rbac.authorization.k8s.io": roleRef,
  "clusterrolebindings.rbac.authorization.k8s.io": roleRef,
  "backups.postgresql.cnpg.io": (before, after) =>
    invalidIf(!same(before["spec"], after["spec"]), "spec", "object", "BackupSpec is immutable once set"),
  "scheduledbackups.postgresql.cnpg.io": immutable("spec", "cluster"),
  [crdResource]: immutable("spec", "group")
}

/** Kinds that are validated as a whole before their changes; of the others the changes come first. */
const wholeFirst: ReadonlySet<string> = new Set([
  "deployments.apps",
  "replicasets.apps",
  "daemonsets.apps",
  "statefulsets.apps"
])

/** An object that is being deleted gets no new finalizers. Two validators look at it, and both say so. */
const finalizerErrors: Changes = (before, after) => {
  if (before.metadata.deletionTimestamp === undefined) return []
  const added = (after.metadata.finalizers ?? []).filter((_) => before.metadata.finalizers?.includes(_) !== true)
  if (added.length === 0) return []
  const error = forbiddenValue(
    "metadata.finalizers",
    "no new finalizers can be added if the object is being deleted, found new finalizers " +
      `[]string{${added.map((_) => JSON.stringify(_)).join(", ")}}`
  )
  return [error, error]
}

/** What must hold of an object that is written anew, and what of it may not change. */
export const validateChange = (
  state: KubernetesState,
  kind: Kind,
  before: Thing,
  after: Thing,
  /** A write of the status leaves the rest as it was. */
  whole: boolean
): Step<void> => {
  const resource = resourceOf(kind)
  const own = whole ? ownErrors(state, kind, after) : kind.custom ? statusErrors(definitionOf(state, kind), after) : []
  const changed = changes[resource]?.(before, after) ?? []
  return invalidUnless(kind, after.metadata.name, [
    ...finalizerErrors(before, after),
    ...(wholeFirst.has(resource) ? [...own, ...changed] : [...changed, ...own])
  ])
}
