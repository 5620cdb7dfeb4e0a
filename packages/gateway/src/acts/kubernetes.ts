import { Predicate } from "effect"
import { type Act, bodied } from "./Act.ts"

/** Stands for a value that the request does not carry: a JSON patch copies or moves it from elsewhere in the object. */
export const unknownValue: unique symbol = Symbol("unknown")

/**
 * A part of an object as a write would leave it: a whole object, a merge or
 * strategic patch, or the one path that an operation of a JSON patch writes.
 */
export type Part = unknown

/**
 * The values that a part has at a path. `*` is every item of a list, or of what
 * a JSON patch addresses by an index. Names are compared without case: a
 * decoder that ignores case would take `ExternalIPs`.
 */
export const valuesAt = (part: Part, [name, ...below]: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  if (name === undefined || part === unknownValue) return [part]
  if (!Predicate.isObject(part) && !Array.isArray(part)) return []
  return Object.entries(part).flatMap(([key, value]) =>
    name === "*" || key.toLowerCase() === name.toLowerCase() ? valuesAt(value, below) : []
  )
}

/** What the API server takes for absent, and so for the default. */
export const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

export const isSet = (part: Part, path: ReadonlyArray<string>): boolean => valuesAt(part, path).some((_) => !isUnset(_))

/** The garbage collector deletes an object whose owners are all gone, or never were. */
export const namesOwner = (part: Part): boolean => isSet(part, ["metadata", "ownerReferences"])

export const whenScaled = ["spec", "persistentVolumeClaimRetentionPolicy", "whenScaled"]

/** With it the claims of the replicas are deleted that are scaled away: also claims that were there before, by their name. */
export const deletesClaims = (part: Part): boolean =>
  valuesAt(part, whenScaled).some((_) => !isUnset(_) && _ !== "Retain")

/**
 * The cluster, whose path is a kind in a namespace, the name of an object, and a sub-resource, or nothing for the object
 * itself. A body is looked at in parts.
 */
export const kubernetes: ReadonlyArray<Act> = [
  {
    service: "kubernetes",
    methods: bodied,
    path: "*/*/eviction",
    decision: "destroys",
    why: "the pod is deleted",
    source: "https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/"
  },
  {
    // Not POST, but for the next: what is only made now can be owned by whatever it likes, as the Job is that is made
    // from a CronJob.
    service: "kubernetes",
    methods: ["PUT", "PATCH"],
    path: "*/*/",
    decision: "destroys",
    inBody: namesOwner,
    why: "the cluster deletes an object whose owners are gone, or never were",
    source: "https://kubernetes.io/docs/concepts/architecture/garbage-collection/"
  },
  {
    service: "kubernetes",
    methods: ["POST"],
    path: "statefulsets/*/",
    decision: "destroys",
    inBody: namesOwner,
    why: "deleted for want of its owner, it takes volume claims along that its replicas are named for, with whenDeleted",
    source: "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention"
  },
  {
    service: "kubernetes",
    methods: bodied,
    path: "statefulsets/*/",
    decision: "destroys",
    inBody: deletesClaims,
    why: "scaling down deletes volume claims, with what they hold",
    source: "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention"
  }
]
