import { type JsonObject, numberAt, objectAt, stringAt } from "../../../Json.ts"
import { toSecondsUtc } from "../../../times.ts"
import { containersOf } from "../../pods.ts"
import type { Ailment, Thing } from "../../state.ts"
import { withCondition } from "../conditions.ts"
import { type Pass, writeStatus } from "../writes.ts"
import { type Instance, isReady, type Parts } from "./instances.ts"
import { clusters, imageOf, majorOf, phases, statusOf } from "./names.ts"

export interface Report {
  readonly phase: string
  readonly phaseReason?: string
  /** The present or the future primary. */
  readonly primary?: string
  readonly latestGeneratedNode?: number
}

const names = (things: ReadonlyArray<{ readonly metadata: { readonly name: string } }>): ReadonlyArray<string> =>
  things.map((_) => _.metadata.name)

const isResizing = (claim: Thing): boolean => {
  const wanted = objectAt(claim, "spec", "resources", "requests")["storage"]
  const status = objectAt(claim, "status")
  return status["phase"] === "Bound" && objectAt(status, "capacity")["storage"] !== wanted
}

const given = (entries: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(entries).filter(([, _]) => !Array.isArray(_) || _.length > 0))

/** The status fields that follow from the cluster's parts. */
const counted = (cluster: Thing, { claims, instances, jobs }: Parts): JsonObject => {
  const busy = new Set(jobs.map((_) => _.metadata.labels?.["cnpg.io/instanceName"]))
  const isNew = ({ name, pod }: Instance) => pod === undefined && busy.has(name)
  const of = (some: ReadonlyArray<Instance>) => names(some.map((_) => _.claim))
  const ready = instances.filter(isReady)
  return {
    instances: instances.length,
    readyInstances: ready.length,
    instanceNames: instances.map((_) => _.name),
    instancesStatus: ready.length === 0 ? {} : { healthy: ready.map((_) => _.name) },
    pvcCount: claims.length,
    jobCount: jobs.length,
    image: imageOf(cluster),
    writeService: `${cluster.metadata.name}-rw`,
    readService: `${cluster.metadata.name}-r`,
    ...given({
      healthyPVC: of(instances.filter((_) => _.pod !== undefined)),
      initializingPVC: of(instances.filter(isNew)),
      danglingPVC: of(instances.filter((_) => _.pod === undefined && !isNew(_))),
      resizingPVC: names(claims.filter(isResizing))
    })
  }
}

/** Lists that are omitted when empty. */
const lists = ["healthyPVC", "initializingPVC", "danglingPVC", "resizingPVC"]

const readiness = (ready: boolean) =>
  ready
    ? ({ type: "Ready", status: "True", reason: "ClusterIsReady", message: "Cluster is Ready" } as const)
    : ({ type: "Ready", status: "False", reason: "ClusterIsNotReady", message: "Cluster Is Not Ready" } as const)

/** Writes the cluster's status. */
export const report = (pass: Pass, cluster: Thing, parts: Parts, said: Report): Thing => {
  const before = statusOf(cluster)
  const { primary } = said
  const first = parts.instances.find((_) => isReady(_) && _.name === primary)
  const ready = first !== undefined
  const image = stringAt(containersOf(first?.pod ?? {})[0] ?? {}, "image") ?? imageOf(cluster)
  const latest = said.latestGeneratedNode ?? numberAt(before, "latestGeneratedNode") ?? 0
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => !lists.includes(key)))
  const moved = ready && before["currentPrimary"] !== primary
  const status: JsonObject = {
    ...kept,
    ...counted(cluster, parts),
    latestGeneratedNode: latest,
    phase: said.phase,
    phaseReason: said.phaseReason ?? "",
    ...(primary === undefined ? {} : { targetPrimary: primary }),
    ...(moved ? { currentPrimary: primary, currentPrimaryTimestamp: toSecondsUtc(pass.now) } : {}),
    ...(ready ? { pgDataImageInfo: { image, majorVersion: majorOf(image) ?? 0 } } : {})
  }
  return writeStatus(pass, clusters, cluster, withCondition(status, readiness(said.phase === phases.healthy), pass.now))
}

/** An injected fault replaces everything else that the operator reports of a cluster. */
export const reportFault = (pass: Pass, cluster: Thing, { phase, readyInstances, reason }: Ailment): void => {
  const status = { ...statusOf(cluster), phase, phaseReason: reason, readyInstances }
  writeStatus(pass, clusters, cluster, withCondition(status, readiness(phase === phases.healthy), pass.now))
}

export const primaryOf = (cluster: Thing): string | undefined =>
  stringAt(statusOf(cluster), "currentPrimary") ?? stringAt(statusOf(cluster), "targetPrimary")
