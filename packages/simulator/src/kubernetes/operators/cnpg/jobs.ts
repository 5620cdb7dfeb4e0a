import { Result } from "effect"
import { numberAt, objectAt } from "../../../Json.ts"
import { containersIn } from "../../pods.ts"
import { writeLog } from "../../logs.ts"
import type { JsonObject, Thing } from "../../state.ts"
import { put, stamp } from "../../store.ts"
import { record } from "../events.ts"
import { backoffLimit, timing } from "../timing.ts"
import { createdAt, ensure, lookAgain, make, ownedBy, removeThing, type Turn, writeStatus } from "../writes.ts"
import type { Step } from "../../status.ts"
import { type Database, initialized, recovered } from "./bootstrap.ts"
import { belonging } from "./furnish.ts"
import { clusters, imageOf, instanceLabel } from "./names.ts"

/** What a job does: makes an empty database, takes one out of an archive, or copies the primary. */
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

const templateOf = (cluster: Thing, role: Role): JsonObject => ({
  restartPolicy: "Never",
  serviceAccountName: cluster.metadata.name,
  containers: [{ name: role, image: imageOf(cluster), command: ["/controller/manager", "instance", role] }]
})

export const makeJob = (turn: Turn, cluster: Thing, instance: string, role: Role): Step<Thing> =>
  ensure(turn, jobs, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: belonging(cluster, `${instance}-${role}`, { [instanceLabel]: instance, "cnpg.io/jobRole": role }),
    spec: { backoffLimit, template: { spec: templateOf(cluster, role) } }
  })

/** When the given try of a job begins, after its making: each one after a pause twice as long as the last. */
const startOf = (tries: number, duration: number): number =>
  tries === 0 ? 0 : startOf(tries - 1, duration) + duration + timing.backOff * 2 ** (tries - 1)

const outcomeOf = (turn: Turn, cluster: Thing, role: Role): Result.Result<Database | undefined, string> => {
  if (role === "initdb") return initialized(turn, cluster)
  return role === "join" ? Result.succeed(undefined) : recovered(turn, cluster)
}

const isFailed = (job: Thing): boolean =>
  containersIn(objectAt(job, "status"), "conditions").some((_) => _["type"] === "Failed" && _["status"] === "True")

/**
 * Goes on with a job as far as it is due. A job that is done is gone, and what
 * it made is on the cluster's disk; one that fails tries again until it has lost
 * all the pods that it may lose.
 *
 * @returns whether the job is done
 */
export const runJob = (turn: Turn, cluster: Thing, job: Thing): boolean => {
  if (isFailed(job)) return false
  const role = roleOf(job)
  const tries = numberAt(objectAt(job, "status"), "failed") ?? 0
  const due = createdAt(job) + startOf(tries, takes[role]) + takes[role]
  if (turn.now < due) {
    lookAgain(turn, clusters, cluster, due - turn.now)
    return false
  }
  const outcome = outcomeOf(turn, cluster, role)
  if (Result.isFailure(outcome)) {
    fail(turn, cluster, job, tries + 1, outcome.failure)
    return false
  }
  if (outcome.success !== undefined) turn.state.disks[cluster.metadata.uid] = { ...outcome.success }
  record(turn, job, "Normal", "Completed", "Job completed", "job-controller")
  removeThing(turn, jobs, job)
  return true
}

const fail = (turn: Turn, cluster: Thing, job: Thing, failed: number, words: string): void => {
  leavePod(turn, cluster, job, words)
  const over = failed > backoffLimit
  const message = "Job has reached the specified backoff limit"
  const condition = {
    type: "Failed",
    status: "True",
    reason: "BackoffLimitExceeded",
    message,
    lastProbeTime: stamp(turn.now),
    lastTransitionTime: stamp(turn.now)
  }
  writeStatus(turn, jobs, job, {
    startTime: job.metadata.creationTimestamp,
    failed,
    ready: 0,
    ...(over ? { conditions: [condition] } : {})
  })
  if (over) record(turn, job, "Warning", "BackoffLimitExceeded", message, "job-controller")
}

/** The pod that failed stays, and its log says why. The job controller says that it made it. */
const leavePod = (turn: Turn, cluster: Thing, job: Thing, words: string): void => {
  const { name, namespace = "" } = job.metadata
  const role = roleOf(job)
  const made = make(turn, "pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...job.metadata.labels, "job-name": name },
      ownerReferences: [ownedBy(job)]
    },
    spec: templateOf(cluster, role)
  })
  if (Result.isFailure(made)) return
  const pod = made.success
  delete turn.state.timers[pod.metadata.uid]
  put(turn.state, "pods", { ...pod, status: { ...objectAt(pod, "status"), phase: "Failed" } }, turn.now)
  writeLog(turn.state, { namespace, pod: pod.metadata.name, container: role }, `ERROR: ${words}`, turn.now)
  record(turn, job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`, "job-controller")
}
