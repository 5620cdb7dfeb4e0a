import { Result } from "effect"
import { numberAt, objectAt, stringAt } from "../../../Json.ts"
import { containersOf } from "../../pods.ts"
import { parseQuantity } from "../../quantity.ts"
import type { Thing } from "../../state.ts"
import type { Answer } from "../../../Wire.ts"
import { timerKey, withMeta } from "../../store.ts"
import { record } from "../events.ts"
import { timing } from "../timing.ts"
import { change, lookAgain, removeThing, type Turn, wordsOf } from "../writes.ts"
import { storeOf } from "./bootstrap.ts"
import { furnish } from "./furnish.ts"
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
import { primaryOf, type Report, report, reportAiling } from "./report.ts"

/**
 * One look of the operator at a `Cluster`: does the next thing that is missing,
 * and says so. What it makes wakes it again.
 */
export const reconcileCluster = (turn: Turn, cluster: Thing): void => {
  if (cluster.metadata.deletionTimestamp !== undefined) return
  const ailment = turn.state.ailments[cluster.metadata.uid]
  if (ailment !== undefined) return reportAiling(turn, cluster, ailment)
  const furnished = furnish(turn, cluster)
  if (Result.isFailure(furnished)) {
    return say(turn, cluster, failed(turn, cluster, furnished.failure))
  }
  for (const step of steps) {
    const said = step(turn, cluster, partsOf(turn, cluster))
    if (said !== undefined) return say(turn, cluster, said)
  }
  say(turn, cluster, { phase: phases.healthy })
}

/** What keeps a cluster from being healthy, with what was done about it; nothing when there is nothing to do. */
type Step = (turn: Turn, cluster: Thing, parts: Parts) => Report | undefined

const say = (turn: Turn, cluster: Thing, said: Report): void => {
  const primary = primaryOf(cluster)
  void report(turn, cluster, partsOf(turn, cluster), { ...(primary === undefined ? {} : { primary }), ...said })
}

/** The API server refuses something: its words go into an event, and the operator comes back later. */
const complain = (turn: Turn, cluster: Thing, words: string): void => {
  record(turn, cluster, "Warning", "FailedCreate", words)
  lookAgain(turn, clusters, cluster, timing.retry)
}

const claimRefused = ({ answer, name, serial }: ClaimRefused): string =>
  `unable to create a PVC: ${name} for this node (nodeSerial: ${serial}): ${wordsOf(answer)}`

/** The phase goes on for as long as what it is about is not done. */
const going = (cluster: Thing, otherwise: string): Report => {
  const { phase, phaseReason } = statusOf(cluster)
  const goes = [phases.primary, phases.replica, phases.upgrade, phases.majorUpgrade, phases.failover].find(
    (_) => _ === phase
  )
  return goes === undefined ? { phase: otherwise } : { phase: goes, phaseReason: String(phaseReason ?? "") }
}

const finishJobs: Step = (turn, cluster, { claims, jobs }) => {
  const isPossible = (job: Thing) =>
    claims.some((_) => _.metadata.name === job.metadata.labels?.[instanceLabel] && isBound(_))
  const left = jobs.filter((job) => !isPossible(job) || !runJob(turn, cluster, job))
  const [job] = left
  if (job === undefined) return undefined
  return going(cluster, roleOf(job) === "join" ? phases.replica : phases.primary)
}

const bootstrapRole = (cluster: Thing) => (bootstrapOf(cluster).recovery === undefined ? "initdb" : "full-recovery")

const latestOf = (cluster: Thing): number => numberAt(statusOf(cluster), "latestGeneratedNode") ?? 0

const setUpPrimary: Step = (turn, cluster, { instances, jobs }) => {
  if (instances.length > 0) {
    // A volume without a database, and nobody at work on it: its job was refused.
    const [first] = instances
    if (first === undefined || jobs.length > 0 || turn.state.disks[cluster.metadata.uid] !== undefined) return undefined
    return withJob(turn, cluster, first.name)
  }
  if (latestOf(cluster) > 0) return { phase: phases.unrecoverable, phaseReason: "All the volumes are gone" }
  const claimed = makeClaims(turn, cluster, 1)
  if (Result.isFailure(claimed)) {
    const words = claimRefused(claimed.failure)
    complain(turn, cluster, words)
    return { phase: phases.objects, phaseReason: words }
  }
  return withJob(turn, cluster, `${cluster.metadata.name}-1`)
}

const withJob = (turn: Turn, cluster: Thing, primary: string): Report => {
  const role = bootstrapRole(cluster)
  const made = makeJob(turn, cluster, primary, role)
  if (Result.isFailure(made)) return failed(turn, cluster, made.failure)
  const how = role === "initdb" ? "initdb" : "from backup"
  record(turn, cluster, "Normal", "CreatingInstance", `Primary instance (${how})`)
  const phaseReason = `Creating primary instance ${primary}`
  return { phase: phases.primary, phaseReason, primary, latestGeneratedNode: 1 }
}

const failed = (turn: Turn, cluster: Thing, answer: Answer): Report => {
  const words = wordsOf(answer)
  complain(turn, cluster, words)
  return { phase: phases.objects, phaseReason: words }
}

/** The primary's pod is gone, and another instance could take over. */
const failOver: Step = (turn, cluster, { instances }) => {
  const from = stringAt(statusOf(cluster), "currentPrimary")
  if (!instances.some((_) => _.name === from && _.pod === undefined)) return undefined
  const heir = instances.find((_) => isReady(_) && _.name !== from)
  if (heir?.pod === undefined) return undefined
  const labels = { ...heir.pod.metadata.labels, "cnpg.io/instanceRole": "primary", role: "primary" }
  void change(turn, "pods", heir.pod, withMeta(heir.pod, { labels }))
  const words = `Failing over from ${from} to ${heir.name}`
  record(turn, cluster, "Normal", "FailingOver", words)
  lookAgain(turn, clusters, cluster, timing.react)
  return { phase: phases.failover, phaseReason: words, primary: heir.name }
}

const startPods: Step = (turn, cluster, { instances }) => {
  for (const { name } of instances.filter((_) => _.pod === undefined)) {
    const made = makePod(turn, cluster, name)
    if (Result.isFailure(made)) return failed(turn, cluster, made.failure)
  }
  const everyone = partsOf(turn, cluster).instances
  return everyone.every(isReady) ? undefined : going(cluster, phases.waiting)
}

const scaleUp: Step = (turn, cluster, { instances }) => {
  if (instances.length >= wantedInstances(cluster)) return undefined
  const serial = latestOf(cluster) + 1
  const name = `${cluster.metadata.name}-${serial}`
  const phaseReason = `Creating replica ${name}-join`
  const claimed = makeClaims(turn, cluster, serial)
  if (Result.isFailure(claimed)) {
    complain(turn, cluster, claimRefused(claimed.failure))
    return { phase: phases.replica, phaseReason }
  }
  const made = makeJob(turn, cluster, name, "join")
  if (Result.isFailure(made)) return failed(turn, cluster, made.failure)
  record(turn, cluster, "Normal", "CreatingInstance", `Creating instance ${name}`)
  return { phase: phases.replica, phaseReason, latestGeneratedNode: serial }
}

const scaleDown: Step = (turn, cluster, parts) => {
  if (parts.instances.length <= wantedInstances(cluster)) return undefined
  const last = parts.instances.findLast((_) => _.name !== primaryOf(cluster))
  if (last === undefined) return undefined
  record(turn, cluster, "Normal", "ScaleDown", `Scaling down: removing instance ${last.name}`)
  removeInstance(turn, parts, last)
  lookAgain(turn, clusters, cluster, timing.react)
  return going(cluster, phases.waiting)
}

const imageOfPod = ({ pod }: Instance): string => stringAt(containersOf(pod ?? {})[0] ?? {}, "image") ?? ""

/** One instance after the other gets the image, the primary last. */
const upgrade: Step = (turn, cluster, { instances }) => {
  const old = instances.filter((_) => imageOfPod(_) !== imageOf(cluster))
  const next = old.find((_) => _.name !== primaryOf(cluster)) ?? old[0]
  if (next?.pod === undefined) return undefined
  const has = numberAt(objectAt(statusOf(cluster), "pgDataImageInfo"), "majorVersion")
  const isMajor = has !== undefined && has !== majorOf(imageOf(cluster))
  const words = `Upgrading instance ${next.name}`
  record(turn, cluster, "Normal", "UpgradingInstance", words)
  removeThing(turn, "pods", next.pod)
  return { phase: isMajor ? phases.majorUpgrade : phases.upgrade, phaseReason: words }
}

/** Volumes grow while the cluster stays what it is; a refusal is told, and tried again. */
const resize: Step = (turn, cluster, { claims }) => {
  for (const claim of claims.filter(isBound)) {
    const resources = objectAt(claim, "spec", "resources")
    const [has, wanted] = [objectAt(resources, "requests")["storage"], wantedSize(cluster, claim)]
    if ((parseQuantity(has)?.milli ?? 0n) >= (parseQuantity(wanted)?.milli ?? 0n)) continue
    const grown = { ...resources, requests: { ...objectAt(resources, "requests"), storage: wanted } }
    const spec = { ...objectAt(claim, "spec"), resources: grown }
    const made = change(turn, "persistentvolumeclaims", claim, { ...claim, spec })
    if (Result.isFailure(made)) complain(turn, cluster, wordsOf(made.failure))
  }
  return undefined
}

/** The archiver begins once there is something to archive. */
const beginArchiving: Step = (turn, cluster) => {
  const running = turn.state.timers[timerKey(cluster.metadata.uid, "archive")] !== undefined
  if (storeOf(cluster) !== undefined && !running) lookAgain(turn, clusters, cluster, timing.react, "archive")
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
