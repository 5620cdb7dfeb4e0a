import { Predicate } from "effect"
import { type Act, actsOf, bodied } from "./Act.ts"

/** A value that the request does not carry, because a JSON patch copies or moves it from elsewhere in the object. */
export const unknownValue: unique symbol = Symbol("unknown")

/**
 * A part of an object as a write would leave it: a whole object, a merge or strategic patch, or the one path that a
 * JSON patch operation writes.
 */
export type Part = unknown

/**
 * The values of a part at a path. `*` matches every item of a list, or of what a JSON patch addresses by an index.
 * Names are compared without case, because a case-insensitive decoder would accept `ExternalIPs`.
 */
export const valuesAt = (part: Part, [name, ...below]: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  if (name === undefined || part === unknownValue) return [part]
  if (!Predicate.isObject(part) && !Array.isArray(part)) return []
  const values = Object.entries(part).flatMap(([key, value]) => (name === "*" || isNamed(key, name) ? [value] : []))
  return below.length === 0 ? values : values.flatMap((_) => valuesAt(_, below))
}

/** The length first, because this is asked of every member of a body: only letters beyond ASCII change theirs. */
const isNamed = (key: string, name: string): boolean =>
  key.length === name.length && key.toLowerCase() === name.toLowerCase()

/** Whether the API server treats the value as absent, and applies the default. */
export const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

export const isSet = (part: Part, path: ReadonlyArray<string>): boolean => valuesAt(part, path).some((_) => !isUnset(_))

/** The garbage collector deletes an object when none of its owners exists, including owners that never existed. */
export const namesOwner = (part: Part): boolean => isSet(part, ["metadata", "ownerReferences"])

export const whenScaled = ["spec", "persistentVolumeClaimRetentionPolicy", "whenScaled"]

/**
 * With this policy a scale-down deletes the volume claims of the removed replicas, including older claims that match
 * by name.
 */
export const deletesClaims = (part: Part): boolean =>
  valuesAt(part, whenScaled).some((_) => !isUnset(_) && _ !== "Retain")

/** Annotations with which the operators of databases delete a pod, or a volume claim with what it holds. */
export const deletingNotes = [
  "strimzi.io/delete-pod-and-pvc",
  "strimzi.io/delete-claim",
  "alpha.cnpg.io/unrecoverable"
] as const

export const asksOperator = (part: Part): boolean =>
  deletingNotes.some((_) => isSet(part, ["metadata", "annotations", _]))

/** The concepts of Kubernetes, a page for each. */
const { act } = actsOf("kubernetes", "https://kubernetes.io/docs/concepts/")
const retention = "workloads/controllers/statefulset/#persistentvolumeclaim-retention"

/**
 * Acts of the cluster. The path is a kind in a namespace, an object name and a sub-resource, which is empty for the
 * object itself. Bodies are checked part by part.
 */
export const kubernetes: ReadonlyArray<Act> = [
  act("destroys", bodied, "*/*/eviction", "the pod is deleted", "scheduling-eviction/api-eviction/"),
  {
    // POST is covered by the next act only: a new object may have any owner, as a Job made from a CronJob has.
    ...act(
      "destroys",
      ["PUT", "PATCH"],
      "*/*/",
      "the cluster deletes an object whose owners are gone, or never were",
      "architecture/garbage-collection/"
    ),
    inBody: namesOwner
  },
  {
    ...act(
      "destroys",
      ["POST"],
      "statefulsets/*/",
      "deleted for want of its owner, it takes volume claims along that its replicas are named for, with whenDeleted",
      retention
    ),
    inBody: namesOwner
  },
  {
    ...act(
      "destroys",
      bodied,
      "pods/*/",
      "with an annotation the operator of a database deletes it, and its volume claims",
      "overview/working-with-objects/annotations/"
    ),
    inBody: asksOperator
  },
  {
    ...act(
      "destroys",
      bodied,
      "persistentvolumeclaims/*/",
      "with an annotation the operator of a database deletes it, with what it holds",
      "overview/working-with-objects/annotations/"
    ),
    inBody: asksOperator
  },
  {
    ...act("destroys", bodied, "statefulsets/*/", "scaling down deletes volume claims, with what they hold", retention),
    inBody: deletesClaims
  }
]
