import { Result } from "effect"
import { type JsonObject, numberAt, objectAt, objectsAt } from "../../../Json.ts"
import type { Step } from "../../../Wire.ts"
import { toSecondsUtc } from "../../../times.ts"
import { writeLog } from "../../logs.ts"
import type { Thing } from "../../state.ts"
import { put } from "../../store.ts"
import { record } from "../events.ts"
import { backoffLimit, timing } from "../timing.ts"
import { createdAt, ensure, requeue, make, ownedBy, removeThing, type Pass, writeStatus } from "../writes.ts"
import { type Database, initialized, recovered } from "./bootstrap.ts"
import { belonging } from "./dependents.ts"
import { clusters, imageOf, instanceLabel } from "./names.ts"

/** The task of a job: create an empty database, recover one from an archive, or copy the primary. */
export type Role = "initdb" | "full-recovery" | "join"

const jobs = "jobs.batch"

const takes: Readonly<Record<Role, number>> = {
  initdb: timing.initdb,
  "full-recovery": timing.recovery,
  join: timing.join
}

export const roleOf = (job: Thing): Role => {
  const role = job.metadata.labels?.["cnpg.io/jobRole"]
  return role === "initdb" || role === "full-recovery" ? role : "join"
}

/** @param name of the job, which is also the host name of its pods */
const templateOf = (cluster: Thing, role: Role, name: string): JsonObject => ({
  hostname: name,
  restartPolicy: "Never",
  serviceAccountName: cluster.metadata.name,
  containers: [{ name: role, image: imageOf(cluster), command: ["/controller/manager", "instance", role] }]
})

export const makeJob = (pass: Pass, cluster: Thing, instance: string, role: Role): Step<Thing> => {
  const name = `${instance}-${role}`
  return ensure(pass, jobs, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: belonging(cluster, name, { [instanceLabel]: instance, "cnpg.io/jobRole": role }),
    spec: { backoffLimit, template: { spec: templateOf(cluster, role, name) } }
  })
}

/** The start of an attempt, after the job's creation: each pause is twice as long as the previous one. */
const startOf = (tries: number, duration: number): number =>
  tries === 0 ? 0 : startOf(tries - 1, duration) + duration + timing.backOff * 2 ** (tries - 1)

const outcomeOf = (pass: Pass, cluster: Thing, role: Role): Result.Result<Database | undefined, string> => {
  if (role === "initdb") return initialized(pass, cluster)
  return role === "join" ? Result.succeed(undefined) : recovered(pass, cluster)
}

const isFailed = (job: Thing): boolean =>
  objectsAt(job, "status", "conditions").some((_) => _["type"] === "Failed" && _["status"] === "True")

/**
 * Advances a job as far as it is due. A completed job is removed, and its database is on the cluster's disk; a
 * failed attempt is retried up to the backoff limit.
 * @returns whether the job is done
 */
export const runJob = (pass: Pass, cluster: Thing, job: Thing): boolean => {
  if (isFailed(job)) return false
  const role = roleOf(job)
  const tries = numberAt(objectAt(job, "status"), "failed") ?? 0
  const due = createdAt(job) + startOf(tries, takes[role]) + takes[role]
  if (pass.now < due) {
    requeue(pass, clusters, cluster, due - pass.now)
    return false
  }
  const outcome = outcomeOf(pass, cluster, role)
  if (Result.isFailure(outcome)) {
    fail(pass, cluster, job, tries + 1, outcome.failure)
    return false
  }
  if (outcome.success !== undefined) pass.state.disks[cluster.metadata.uid] = { ...outcome.success }
  record(pass, job, "Normal", "Completed", "Job completed", "job-controller")
  removeThing(pass, jobs, job)
  return true
}

const fail = (pass: Pass, cluster: Thing, job: Thing, failed: number, error: string): void => {
  leavePod(pass, cluster, job, error)
  const over = failed > backoffLimit
  const message = "Job has reached the specified backoff limit"
  const condition = {
    type: "Failed",
    status: "True",
    reason: "BackoffLimitExceeded",
    message,
    lastProbeTime: toSecondsUtc(pass.now),
    lastTransitionTime: toSecondsUtc(pass.now)
  }
  writeStatus(pass, jobs, job, {
    startTime: job.metadata.creationTimestamp,
    failed,
    ready: 0,
    ...(over ? { conditions: [condition] } : {})
  })
  if (over) record(pass, job, "Warning", "BackoffLimitExceeded", message, "job-controller")
}

/** A failed pod stays, with the error in its log and the job controller as its creator. */
const leavePod = (pass: Pass, cluster: Thing, job: Thing, message: string): void => {
  const { name, namespace = "" } = job.metadata
  const role = roleOf(job)
  const made = make(pass, "pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...job.metadata.labels, "job-name": name },
      ownerReferences: [ownedBy(job)]
    },
    spec: templateOf(cluster, role, name)
  })
  if (Result.isFailure(made)) return
  const pod = made.success
  delete pass.state.timers[pod.metadata.uid]
  put(pass.state, "pods", { ...pod, status: { ...objectAt(pod, "status"), phase: "Failed" } }, pass.now)
  writeLog(pass.state, { namespace, pod: pod.metadata.name, container: role }, `ERROR: ${message}`, pass.now)
  record(pass, job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`, "job-controller")
}
