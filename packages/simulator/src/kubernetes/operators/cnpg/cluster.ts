import { Result } from "effect"
import { numberAt, objectAt, stringAt } from "../../../Json.ts"
import { containersOf } from "../../pods.ts"
import { parseQuantity } from "../../quantity.ts"
import type { Thing } from "../../state.ts"
import type { Answer } from "../../../Wire.ts"
import { timerKey, withMeta } from "../../store.ts"
import { record } from "../events.ts"
import { timing } from "../timing.ts"
import { change, requeue, removeThing, type Pass, messageOf } from "../writes.ts"
import { storeOf } from "./bootstrap.ts"
import { createDependents } from "./dependents.ts"
import {
  type ClaimRefused,
  type Instance,
  isBound,
  isReady,
  makeClaims,
  makePod,
  type Parts,
  partsOf,
  removeInstance,
  wantedSize
} from "./instances.ts"
import { makeJob, roleOf, runJob } from "./jobs.ts"
import { bootstrapOf, clusters, imageOf, instanceLabel, majorOf, phases, statusOf, wantedInstances } from "./names.ts"
import { primaryOf, type Report, report, reportFault } from "./report.ts"

/** Reconciles a `Cluster`: performs the next missing step and reports it. The created objects trigger the next pass. */
export const reconcileCluster = (pass: Pass, cluster: Thing): void => {
  if (cluster.metadata.deletionTimestamp !== undefined) return
  const fault = pass.state.ailments[cluster.metadata.uid]
  if (fault !== undefined) return reportFault(pass, cluster, fault)
  const dependents = createDependents(pass, cluster)
  if (Result.isFailure(dependents)) {
    return publishStatus(pass, cluster, failed(pass, cluster, dependents.failure))
  }
  for (const step of steps) {
    const update = step(pass, cluster, partsOf(pass, cluster))
    if (update !== undefined) return publishStatus(pass, cluster, update)
  }
  publishStatus(pass, cluster, { phase: phases.healthy })
}

/** A check of the cluster: the report of the step that it performed, or undefined when there is nothing to do. */
type Step = (pass: Pass, cluster: Thing, parts: Parts) => Report | undefined

const publishStatus = (pass: Pass, cluster: Thing, update: Report): void => {
  const primary = primaryOf(cluster)
  void report(pass, cluster, partsOf(pass, cluster), { ...(primary === undefined ? {} : { primary }), ...update })
}

/** The API server refused a write: its message goes into an event, and the operator retries later. */
const warn = (pass: Pass, cluster: Thing, message: string): void => {
  record(pass, cluster, "Warning", "FailedCreate", message)
  requeue(pass, clusters, cluster, timing.retry)
}

const claimRefused = ({ answer, name, serial }: ClaimRefused): string =>
  `unable to create a PVC: ${name} for this node (nodeSerial: ${serial}): ${messageOf(answer)}`

/** The phase stays until its work is done. */
const going = (cluster: Thing, otherwise: string): Report => {
  const { phase, phaseReason } = statusOf(cluster)
  const goes = [phases.primary, phases.replica, phases.upgrade, phases.majorUpgrade, phases.failover].find(
    (_) => _ === phase
  )
  return goes === undefined ? { phase: otherwise } : { phase: goes, phaseReason: String(phaseReason ?? "") }
}

const finishJobs: Step = (pass, cluster, { claims, jobs }) => {
  const isPossible = (job: Thing) =>
    claims.some((_) => _.metadata.name === job.metadata.labels?.[instanceLabel] && isBound(_))
  const left = jobs.filter((job) => !isPossible(job) || !runJob(pass, cluster, job))
  const [job] = left
  if (job === undefined) return undefined
  return going(cluster, roleOf(job) === "join" ? phases.replica : phases.primary)
}

const bootstrapRole = (cluster: Thing) => (bootstrapOf(cluster).recovery === undefined ? "initdb" : "full-recovery")

const latestOf = (cluster: Thing): number => numberAt(statusOf(cluster), "latestGeneratedNode") ?? 0

const setUpPrimary: Step = (pass, cluster, { instances, jobs }) => {
  if (instances.length > 0) {
    // A volume without a database and without a job: the API server refused the job.
    const [first] = instances
    if (first === undefined || jobs.length > 0 || pass.state.disks[cluster.metadata.uid] !== undefined) return undefined
    return withJob(pass, cluster, first.name)
  }
  if (latestOf(cluster) > 0) return { phase: phases.unrecoverable, phaseReason: "All the volumes are gone" }
  const claimed = makeClaims(pass, cluster, 1)
  if (Result.isFailure(claimed)) {
    const message = claimRefused(claimed.failure)
    warn(pass, cluster, message)
    return { phase: phases.objects, phaseReason: message }
  }
  return withJob(pass, cluster, `${cluster.metadata.name}-1`)
}

const withJob = (pass: Pass, cluster: Thing, primary: string): Report => {
  const role = bootstrapRole(cluster)
  const made = makeJob(pass, cluster, primary, role)
  if (Result.isFailure(made)) return failed(pass, cluster, made.failure)
  const how = role === "initdb" ? "initdb" : "from backup"
  record(pass, cluster, "Normal", "CreatingInstance", `Primary instance (${how})`)
  const phaseReason = `Creating primary instance ${primary}`
  return { phase: phases.primary, phaseReason, primary, latestGeneratedNode: 1 }
}

const failed = (pass: Pass, cluster: Thing, answer: Answer): Report => {
  const message = messageOf(answer)
  warn(pass, cluster, message)
  return { phase: phases.objects, phaseReason: message }
}

/** The primary's pod is gone, and another instance can take over. */
const failOver: Step = (pass, cluster, { instances }) => {
  const from = stringAt(statusOf(cluster), "currentPrimary")
  if (!instances.some((_) => _.name === from && _.pod === undefined)) return undefined
  const successor = instances.find((_) => isReady(_) && _.name !== from)
  if (successor?.pod === undefined) return undefined
  const labels = { ...successor.pod.metadata.labels, "cnpg.io/instanceRole": "primary", role: "primary" }
  void change(pass, "pods", successor.pod, withMeta(successor.pod, { labels }))
  const message = `Failing over from ${from} to ${successor.name}`
  record(pass, cluster, "Normal", "FailingOver", message)
  requeue(pass, clusters, cluster, timing.react)
  return { phase: phases.failover, phaseReason: message, primary: successor.name }
}

const startPods: Step = (pass, cluster, { instances }) => {
  for (const { name } of instances.filter((_) => _.pod === undefined)) {
    const made = makePod(pass, cluster, name)
    if (Result.isFailure(made)) return failed(pass, cluster, made.failure)
  }
  const everyone = partsOf(pass, cluster).instances
  return everyone.every(isReady) ? undefined : going(cluster, phases.waiting)
}

const scaleUp: Step = (pass, cluster, { instances }) => {
  if (instances.length >= wantedInstances(cluster)) return undefined
  const serial = latestOf(cluster) + 1
  const name = `${cluster.metadata.name}-${serial}`
  const phaseReason = `Creating replica ${name}-join`
  const claimed = makeClaims(pass, cluster, serial)
  if (Result.isFailure(claimed)) {
    warn(pass, cluster, claimRefused(claimed.failure))
    return { phase: phases.replica, phaseReason }
  }
  const made = makeJob(pass, cluster, name, "join")
  if (Result.isFailure(made)) return failed(pass, cluster, made.failure)
  record(pass, cluster, "Normal", "CreatingInstance", `Creating instance ${name}`)
  return { phase: phases.replica, phaseReason, latestGeneratedNode: serial }
}

const scaleDown: Step = (pass, cluster, parts) => {
  if (parts.instances.length <= wantedInstances(cluster)) return undefined
  const last = parts.instances.findLast((_) => _.name !== primaryOf(cluster))
  if (last === undefined) return undefined
  record(pass, cluster, "Normal", "ScaleDown", `Scaling down: removing instance ${last.name}`)
  removeInstance(pass, parts, last)
  requeue(pass, clusters, cluster, timing.react)
  return going(cluster, phases.waiting)
}

const imageOfPod = ({ pod }: Instance): string => stringAt(containersOf(pod ?? {})[0] ?? {}, "image") ?? ""

/** Upgrades one instance after the other, the primary last. */
const upgrade: Step = (pass, cluster, { instances }) => {
  const old = instances.filter((_) => imageOfPod(_) !== imageOf(cluster))
  const next = old.find((_) => _.name !== primaryOf(cluster)) ?? old[0]
  if (next?.pod === undefined) return undefined
  const has = numberAt(objectAt(statusOf(cluster), "pgDataImageInfo"), "majorVersion")
  const isMajor = has !== undefined && has !== majorOf(imageOf(cluster))
  const message = `Upgrading instance ${next.name}`
  record(pass, cluster, "Normal", "UpgradingInstance", message)
  removeThing(pass, "pods", next.pod)
  return { phase: isMajor ? phases.majorUpgrade : phases.upgrade, phaseReason: message }
}

/** Grows the volumes without a change of phase; a refusal becomes an event and is retried. */
const resize: Step = (pass, cluster, { claims }) => {
  for (const claim of claims.filter(isBound)) {
    const resources = objectAt(claim, "spec", "resources")
    const [has, wanted] = [objectAt(resources, "requests")["storage"], wantedSize(cluster, claim)]
    if ((parseQuantity(has)?.milli ?? 0n) >= (parseQuantity(wanted)?.milli ?? 0n)) continue
    const grown = { ...resources, requests: { ...objectAt(resources, "requests"), storage: wanted } }
    const spec = { ...objectAt(claim, "spec"), resources: grown }
    const made = change(pass, "persistentvolumeclaims", claim, { ...claim, spec })
    if (Result.isFailure(made)) warn(pass, cluster, messageOf(made.failure))
  }
  return undefined
}

/** The archiver starts once the database exists. */
const beginArchiving: Step = (pass, cluster) => {
  const running = pass.state.timers[timerKey(cluster.metadata.uid, "archive")] !== undefined
  if (storeOf(cluster) !== undefined && !running) requeue(pass, clusters, cluster, timing.react, "archive")
  return undefined
}

const steps: ReadonlyArray<Step> = [
  finishJobs,
  setUpPrimary,
  failOver,
  startPods,
  scaleUp,
  scaleDown,
  upgrade,
  resize,
  beginArchiving
]
