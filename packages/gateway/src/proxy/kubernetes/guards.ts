import { Forbidden } from "@portico/contract/Failures"
import {
  claimTemplates,
  isOperators,
  isSet,
  isUnset,
  jobTemplate,
  type Part,
  unknownValue,
  valuesAt,
  whenScaled
} from "../../acts/kubernetes.ts"
import type { Field } from "./protobuf.ts"

/** The check of a write's body. */
export interface Guard {
  /** The positions of the checked values in the binary encoding. */
  readonly fields: ReadonlyArray<Field>
  /** The refusal of a part; undefined for a permitted part. */
  against(part: Part): Forbidden | undefined
}

/**
 * Fields that would route traffic of the cluster's nodes, or of other tenants, to a tenant: external addresses
 * (CVE-2020-8554), node ports, and load balancers of the platform. A Service with an external name would make the
 * platform's edge route to wherever that name points.
 */
const serviceFields: ReadonlyArray<Field> = [
  { path: ["spec", "externalIPs"], numbers: [2, 5], as: "text" },
  { path: ["spec", "externalName"], numbers: [2, 10], as: "text" },
  { path: ["spec", "loadBalancerIP"], numbers: [2, 8], as: "text" },
  { path: ["spec", "loadBalancerClass"], numbers: [2, 21], as: "text" },
  { path: ["spec", "loadBalancerSourceRanges"], numbers: [2, 9], as: "text" },
  { path: ["spec", "healthCheckNodePort"], numbers: [2, 12], as: "number" },
  { path: ["spec", "ports", "*", "nodePort"], numbers: [2, 1, 5], as: "number" }
]

const services: Guard = {
  fields: [{ path: ["spec", "type"], numbers: [2, 4], as: "text" }, ...serviceFields],
  against: (part) => {
    const type = valuesAt(part, ["spec", "type"]).find((_) => !isUnset(_) && _ !== "ClusterIP")
    if (type !== undefined) return Forbidden.clusterService(typeof type === "string" ? `type ${type}` : "spec.type")
    const field = serviceFields.find(({ path }) => isSet(part, path))
    return field && Forbidden.clusterService(field.path.join(".").replace(".*", "[]"))
  }
}

const tokenType = "kubernetes.io/service-account-token"
/** With this annotation the token controller fills a Secret with a token that never expires. */
const tokenNote = "kubernetes.io/service-account.name"

const secrets: Guard = {
  fields: [
    { path: ["type"], numbers: [3], as: "text" },
    { path: ["metadata", "annotations"], numbers: [1, 12], as: "entry", key: (_) => _ === tokenNote }
  ],
  against: (part) => {
    const types = valuesAt(part, ["type"])
    const isToken = types.some((_) => _ === unknownValue || (typeof _ === "string" && _.toLowerCase() === tokenType))
    return isToken || isSet(part, ["metadata", "annotations", tokenNote]) ? Forbidden.clusterToken() : undefined
  }
}

/**
 * Network policies are additive: an egress rule opens what the platform's own policy closes. A tenant decides on its
 * own ingress.
 */
const networkPolicies: Guard = {
  fields: [{ path: ["spec", "egress"], numbers: [2, 3], as: "presence" }],
  against: (part) => (isSet(part, ["spec", "egress"]) ? Forbidden.clusterEgress() : undefined)
}

/** Workloads that a tenant owns. In the API groups below no other kind has one of these names. */
const scalable: ReadonlySet<unknown> = new Set(["Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"])
const scalableVersion = /^(v1|(apps|extensions)\/v[0-9a-z]+)$/

const ownAlone =
  "an autoscaler scales a Deployment, ReplicaSet, StatefulSet or ReplicationController; " +
  "managed databases are made and changed under /v1/databases"

/**
 * The autoscaler's controller scales everything with a `scale` sub-resource, with rights of its own. That includes
 * managed databases, which tenants may not write: it could scale one beyond its price, or down to one instance.
 */
const autoscalers: Guard = {
  fields: [
    { path: ["spec", "scaleTargetRef", "kind"], numbers: [2, 1, 1], as: "text" },
    { path: ["spec", "scaleTargetRef", "apiVersion"], numbers: [2, 1, 3], as: "text" }
  ],
  against: (part) => {
    const kinds = valuesAt(part, ["spec", "scaleTargetRef", "kind"])
    const versions = valuesAt(part, ["spec", "scaleTargetRef", "apiVersion"])
    const isOwn =
      kinds.every((_) => isUnset(_) || scalable.has(_)) &&
      versions.every((_) => isUnset(_) || (typeof _ === "string" && scalableVersion.test(_)))
    return isOwn ? undefined : Forbidden.clusterKind("horizontalpodautoscalers.autoscaling", ownAlone)
  }
}

/** In the metadata of any kind, and of a template. */
const owners: Field = { path: ["metadata", "ownerReferences"], numbers: [1, 13], as: "presence" }
const operators: ReadonlyArray<Field> = [
  { path: ["metadata", "labels"], numbers: [1, 11], as: "entry", key: isOperators },
  { path: ["metadata", "annotations"], numbers: [1, 12], as: "entry", key: isOperators },
  { path: ["metadata", "ownerReferences", "*", "apiVersion"], numbers: [1, 13, 5], as: "text" }
]

/** The same fields of a template. */
const below = (path: ReadonlyArray<string>, numbers: ReadonlyArray<number>): ReadonlyArray<Field> =>
  [owners, ...operators].map((_) => ({ ..._, path: [...path, ..._.path], numbers: [...numbers, ..._.numbers] }))

/**
 * The positions of the values that the acts of the cluster check in the binary encoding: of any kind, and of kinds that
 * have more.
 */
export const destroyingFields: {
  readonly every: ReadonlyArray<Field>
  readonly more: ReadonlyMap<string, ReadonlyArray<Field>>
} = {
  every: [owners, ...operators],
  more: new Map([
    ["statefulsets", [{ path: whenScaled, numbers: [2, 10, 2], as: "text" }, ...below(claimTemplates, [2, 4])]],
    ["cronjobs", below(jobTemplate, [2, 5])]
  ])
}

/** Combines two guards, of which either may be absent. */
export const both = (one: Guard | undefined, other: Guard | undefined): Guard | undefined =>
  one === undefined || other === undefined
    ? (one ?? other)
    : { fields: [...one.fields, ...other.fields], against: (part) => one.against(part) ?? other.against(part) }

export const guards = { services, secrets, networkPolicies, autoscalers } as const satisfies Readonly<
  Record<string, Guard>
>
