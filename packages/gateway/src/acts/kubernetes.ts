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

/** The domains of the operators that run managed databases: of their API groups, and of their labels and annotations. */
const operators = /(^|\.)(cnpg|strimzi)\.io$/i

const domainOf = (name: string): string => name.split("/", 1).join("")

/** Whether an API group, a label or an annotation belongs to an operator of databases. */
export const isOperators = (name: string): boolean => operators.test(domainOf(name))

/** With it Strimzi replaces a pod, and nothing that it holds is lost. */
const restarts = "strimzi.io/manual-rolling-update"

/** The label or annotation of an operator that an object is given, also with an empty value. */
const operatorsKey = (part: Part, field: "labels" | "annotations"): string | undefined => {
  for (const map of valuesAt(part, ["metadata", field])) {
    if (map === unknownValue) return field
    const key = keysSet(map).find((_) => isOperators(_) && _ !== restarts)
    if (key !== undefined) return `${field}.${key}`
  }
  return undefined
}

const keysSet = (map: unknown): ReadonlyArray<string> =>
  Predicate.isReadonlyObject(map) ? Object.keys(map).filter((_) => map[_] !== null) : []

const hasOperatorsOwner = (part: Part): boolean =>
  valuesAt(part, ["metadata", "ownerReferences", "*", "apiVersion"]).some(
    (_) => _ === unknownValue || (typeof _ === "string" && isOperators(_))
  )

/** The field of an object by which an operator of databases would take it for its own; undefined without one. */
export const operatorsField = (part: Part): string | undefined =>
  operatorsKey(part, "labels") ??
  operatorsKey(part, "annotations") ??
  (hasOperatorsOwner(part) ? "ownerReferences" : undefined)

/**
 * Whether an operator of databases would take an object for its own, and may delete it, or what belongs to it: Strimzi
 * deletes what has its labels and is not of its plan, CloudNativePG the volumes of the replicas after a Job of its
 * label, both of them for annotations.
 */
export const asksOperator = (part: Part): boolean => operatorsField(part) !== undefined

/** Where a template that a controller makes objects from has a field that needs tier 2. */
const inTemplate =
  (path: ReadonlyArray<string>, fieldOf: (template: Part) => string | undefined) =>
  (part: Part): string | undefined => {
    for (const template of valuesAt(part, path)) {
      const field = fieldOf(template)
      if (field !== undefined) return `${path.join(".").replace(".*", "[]")}.metadata.${field}`
    }
    return undefined
  }

export const claimTemplates = ["spec", "volumeClaimTemplates", "*"]
export const jobTemplate = ["spec", "jobTemplate"]

/** A claim has all metadata of its template (pkg/controller/statefulset, `getPersistentVolumeClaims`). */
const claimField = inTemplate(claimTemplates, (_) => (namesOwner(_) ? "ownerReferences" : operatorsField(_)))

/** A Job has the labels and annotations of its template (pkg/controller/cronjob, `getJobFromTemplate2`). */
const jobField = inTemplate(jobTemplate, operatorsField)

/** The field of a template by which an operator of databases, or the cluster, may delete what is made from it. */
export const templateField = (part: Part): string | undefined => claimField(part) ?? jobField(part)

/** The concepts of Kubernetes, a page for each. */
const { act } = actsOf("kubernetes", "https://kubernetes.io/docs/concepts/")
const retention = "workloads/controllers/statefulset/#persistentvolumeclaim-retention"
const taken =
  "with a label, annotation or owner of a database's operator, the operator may delete it, or volumes for it"

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
    ...act("destroys", ["PUT", "PATCH"], "*/*/", taken, "overview/working-with-objects/labels/"),
    inBody: asksOperator
  },
  ...["pods", "jobs", "persistentvolumeclaims"].map((kind) => ({
    ...act("destroys", ["POST"], `${kind}/*/`, taken, "overview/working-with-objects/labels/"),
    inBody: asksOperator
  })),
  {
    ...act("destroys", bodied, "statefulsets/*/", taken, "workloads/controllers/statefulset/#volume-claim-templates"),
    inBody: (part) => claimField(part) !== undefined
  },
  {
    ...act("destroys", bodied, "cronjobs/*/", taken, "workloads/controllers/cron-jobs/#job-template"),
    inBody: (part) => jobField(part) !== undefined
  },
  {
    ...act("destroys", bodied, "statefulsets/*/", "scaling down deletes volume claims, with what they hold", retention),
    inBody: deletesClaims
  }
]
