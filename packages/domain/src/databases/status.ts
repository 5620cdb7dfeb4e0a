import type { DatabaseStatus } from "@portico/contract/Databases"
import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { sizeOf, volumesOf } from "./ceilings.ts"
import { at, bytesOf, stringAt, listAt, wholeAt } from "../kubernetes/fields.ts"

/** A database's status and, unless it is ready, the reason in the operator's message. */
export interface Standing {
  readonly status: DatabaseStatus
  readonly reason: string | null
}

/**
 * The annotation of an object that was ready once and was changed since: without it, growth would
 * look like the initial creation.
 */
export const changedNote = "portico/changed"

const ready: Standing = { status: "ready", reason: null }

const notReported: Standing = { status: "pending", reason: "the operator has not reported yet" }

const notObserved: Standing = { status: "updating", reason: "the operator has not acted on the last change yet" }

const growing: Standing = { status: "updating", reason: "the storage of an instance is still being grown" }

const isGoing = (object: KubernetesObject | undefined): boolean => object?.metadata["deletionTimestamp"] !== undefined

/** Whether every claim has the specified size. */
const isGrown = (claims: ReadonlyArray<KubernetesObject>, size: unknown): boolean =>
  claims.every((_) => bytesOf(at(_, "status", "capacity", "storage")) >= bytesOf(size))

// --- CloudNativePG ----------------------------------------------------------------

/** The values of CloudNativePG's `status.phase`, which are sentences for people. */
const phases: Readonly<Record<string, "making" | "healthy" | "updating" | "degraded" | "failing">> = {
  "Setting up primary": "making",
  "Creating a new replica": "making",
  "Waiting for the instances to become active": "making",
  "Cluster in healthy state": "healthy",
  "Upgrading cluster": "updating",
  "Upgrading Postgres major version": "updating",
  "Cluster upgrade delayed": "updating",
  "Applying configuration": "updating",
  "Primary instance is being restarted in-place": "updating",
  "Primary instance is being restarted without a switchover": "updating",
  "Online upgrade in progress": "updating",
  "Waiting for user action": "updating",
  "Switchover in progress": "degraded",
  "Failing over": "degraded",
  "Promoting to primary cluster": "degraded",
  "Cluster is unrecoverable and needs manual intervention": "failing",
  "Invalid cluster definition": "failing",
  "Unable to create required cluster objects": "failing",
  "Cluster has incomplete or invalid image catalog": "failing",
  "Cluster cannot proceed to reconciliation due to an unknown plugin being required": "failing",
  "Cluster cannot proceed to reconciliation due to an error while interacting with plugins": "failing",
  "Cluster cannot execute instance online upgrade due to missing architecture binary": "failing"
}

/** The wording of failures differs between releases. */
const failures = [/^Cluster cannot proceed\b/, /\bmissing architecture binary\b/, /\bunrecoverable\b/]

const kindOfPhase = (phase: string) =>
  phases[phase] ?? (failures.some((_) => _.test(phase)) ? ("failing" as const) : undefined)

/** Whether the cluster has ever had a primary. */
export const hasPrimary = (cluster: KubernetesObject): boolean =>
  (stringAt(cluster, "status", "currentPrimary") ?? "") !== ""

/**
 * The status of a cluster. `ready` refers to the current specification. CloudNativePG keeps
 * reporting a changed cluster as healthy until it has observed the change, and does not report
 * which generation it observed last, so the actual state is compared with the specification. An
 * unknown phase never counts as `ready`.
 */
export const postgresStanding = (cluster: KubernetesObject, claims: ReadonlyArray<KubernetesObject>): Standing => {
  if (isGoing(cluster)) return { status: "deleting", reason: "the database is being deleted" }
  const phase = stringAt(cluster, "status", "phase") ?? ""
  if (phase === "") return notReported
  const detail = stringAt(cluster, "status", "phaseReason") ?? ""
  const reason = detail === "" || detail === phase ? phase : `${phase}: ${detail}`
  switch (kindOfPhase(phase)) {
    case "healthy":
      return healthy(cluster, claims)
    case "making":
      return { status: stringAt(cluster, "metadata", "annotations", changedNote) ? "updating" : "provisioning", reason }
    case "updating":
      return { status: "updating", reason }
    case "degraded":
      return { status: "degraded", reason }
    case "failing":
      return { status: "failing", reason }
    default:
      return { status: hasPrimary(cluster) ? "updating" : "provisioning", reason }
  }
}

const healthy = (cluster: KubernetesObject, claims: ReadonlyArray<KubernetesObject>): Standing => {
  const wanted = wholeAt(cluster, "spec", "instances") ?? 1
  const image = stringAt(cluster, "status", "image")
  const observed = wholeAt(cluster, "status", "observedGeneration")
  if (observed !== undefined && observed !== wholeAt(cluster, "metadata", "generation")) return notObserved
  if (wholeAt(cluster, "status", "instances") !== wanted) return notObserved
  if (image !== undefined && image !== stringAt(cluster, "spec", "imageName")) return notObserved
  const working = wholeAt(cluster, "status", "readyInstances") ?? 0
  if (working !== wanted) {
    return { status: "degraded", reason: `${working} of ${wanted} instances are ready` }
  }
  if (listAt(cluster, "status", "resizingPVC").length > 0) return growing
  return isGrown(claims.filter(isData), sizeOf(at(cluster, "spec", "storage"))) ? ready : growing
}

/** A cluster may also have claims for its log and its tablespaces. */
const isData = (claim: KubernetesObject): boolean =>
  (stringAt(claim, "metadata", "labels", "cnpg.io/pvcRole") ?? "PG_DATA") === "PG_DATA"

// --- Strimzi ----------------------------------------------------------------------

/** The reasons for which Strimzi stops until the specification changes. */
const permanentReasons = /Invalid|Unsupported|KubernetesClientException/

const condition = (object: KubernetesObject, type: string): unknown =>
  listAt(object, "status", "conditions").find((_) => stringAt(_, "type") === type && stringAt(_, "status") === "True")

const isObserved = (object: KubernetesObject): boolean =>
  wholeAt(object, "status", "observedGeneration") === wholeAt(object, "metadata", "generation")

/**
 * The status of a Kafka and its node pool. Strimzi reports `Ready` and `NotReady` as separate
 * conditions, with the observed generation; the pool has its own generation. A Kafka or a pool
 * without the other is what an interrupted create or delete left.
 */
export const kafkaStanding = (
  kafka: KubernetesObject | undefined,
  pool: KubernetesObject | undefined,
  claims: ReadonlyArray<KubernetesObject>
): Standing => {
  if (isGoing(kafka) || isGoing(pool)) return { status: "deleting", reason: "the database is being deleted" }
  if (kafka === undefined) return leftover("Kafka resource")
  if (pool === undefined) return leftover("node pool")
  const trouble = condition(kafka, "NotReady")
  if (trouble !== undefined) return troubled(kafka, pool, trouble)
  if (condition(kafka, "Ready") === undefined) return notReported
  if (!isObserved(kafka) || !isObserved(pool)) return notObserved
  return isGrown(claims, at(volumesOf(pool)[0], "size")) ? ready : growing
}

const leftover = (what: string): Standing => ({
  status: "failing",
  reason: `its ${what} is missing: a create or a delete was cut short; send it again`
})

const troubled = (kafka: KubernetesObject, pool: KubernetesObject, trouble: unknown): Standing => {
  const why = stringAt(trouble, "reason") ?? "NotReady"
  const message = stringAt(trouble, "message") ?? ""
  const reason = message === "" ? why : `${why}: ${message}`
  // The condition is about an outdated specification.
  if (!isObserved(kafka) || !isObserved(pool)) return { status: wasReady(kafka) ? "updating" : "provisioning", reason }
  if (why === "Creating") return { status: wasReady(kafka) ? "updating" : "provisioning", reason }
  if (permanentReasons.test(why)) return { status: "failing", reason }
  return { status: wasReady(kafka) ? "degraded" : "provisioning", reason }
}

/** Strimzi records the version of its last successful reconciliation. */
export const wasReady = (kafka: KubernetesObject): boolean =>
  (stringAt(kafka, "status", "operatorLastSuccessfulVersion") ?? "") !== ""
