import { type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { toSecondsUtc } from "../times.ts"
import { parseQuantity, plus, type Quantity, zero } from "./quantity.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { drop, put, schedule, withMeta } from "./store.ts"

/** From creation until the containers run, on a node that has the image. */
const startMillis = 2_000
/** From the request to stop until the containers are gone, when the grace period is longer. */
export const stopMillis = 1_000

export const containersOf = (pod: JsonObject): ReadonlyArray<JsonObject> => objectsAt(pod, "spec", "containers")

/** The sum over a pod's containers of one resource of `requests` or `limits`. */
export const totalOf = (pod: JsonObject, side: "requests" | "limits", resource: string): Quantity =>
  containersOf(pod).reduce(
    (sum, _) => plus(sum, parseQuantity(objectAt(_, "resources", side)[resource] ?? 0) ?? zero),
    zero
  )

/** Finished pods use no resources. */
export const isOver = (pod: JsonObject): boolean =>
  ["Succeeded", "Failed"].includes(stringAt(objectAt(pod, "status"), "phase") ?? "")

const conditions = (status: "True" | "False", now: number) =>
  ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
    type,
    status: type === "PodScheduled" || type === "Initialized" ? "True" : status,
    lastProbeTime: null,
    lastTransitionTime: toSecondsUtc(now),
    ...(status === "False" && type.endsWith("Ready") ? { reason: "ContainersNotReady" } : {})
  }))

const statusesOf = (pod: Thing, state: JsonObject, running: boolean) =>
  containersOf(pod).map((_) => ({
    name: stringAt(_, "name") ?? "",
    image: stringAt(_, "image") ?? "",
    imageID: running ? `${stringAt(_, "image") ?? ""}@sha256:${"0".repeat(64)}` : "",
    ...(running ? { containerID: `containerd://${pod.metadata.uid.replaceAll("-", "")}` } : {}),
    lastState: {},
    ready: running,
    started: running,
    restartCount: 0,
    state
  }))

/**
 * A new pod is scheduled at once, because the node is empty; its containers start after a moment. A pod of another
 * scheduler waits for it.
 */
export const begin = (state: KubernetesState, pod: Thing, now: number): Thing => {
  if (objectAt(pod, "spec")["schedulerName"] !== "default-scheduler") return put(state, "pods", pod, now)
  const spec = { ...objectAt(pod, "spec"), nodeName: stringAt(objectAt(pod, "spec"), "nodeName") ?? "node-1" }
  const scheduled: Thing = {
    ...pod,
    spec,
    status: {
      ...objectAt(pod, "status"),
      conditions: conditions("False", now),
      hostIP: "192.0.2.10",
      hostIPs: [{ ip: "192.0.2.10" }],
      startTime: toSecondsUtc(now),
      containerStatuses: statusesOf(pod, { waiting: { reason: "ContainerCreating" } }, false)
    }
  }
  const stored = put(state, "pods", scheduled, now)
  schedule(state, "pods", stored, now + startMillis)
  return stored
}

/** Applies a pod's due change: it runs, or it is gone. */
export const elapsePod = (state: KubernetesState, pod: Thing, now: number): void => {
  if (pod.metadata.deletionTimestamp !== undefined) return finish(state, pod, now)
  state.counters.address += 1
  const podIP = `10.244.${Math.floor(state.counters.address / 250)}.${(state.counters.address % 250) + 2}`
  const status = {
    ...objectAt(pod, "status"),
    phase: "Running",
    conditions: conditions("True", now),
    podIP,
    podIPs: [{ ip: podIP }],
    containerStatuses: statusesOf(pod, { running: { startedAt: toSecondsUtc(now) } }, true)
  }
  put(state, "pods", { ...pod, status }, now)
}

/** The containers have stopped: the pod is removed, unless it has finalizers. */
const finish = (state: KubernetesState, pod: Thing, now: number): void => {
  if ((pod.metadata.finalizers ?? []).length === 0) return drop(state, "pods", pod, now)
  put(state, "pods", withMeta(pod, { deletionGracePeriodSeconds: 0 }), now)
}

export const isRunning = (pod: Thing): boolean => objectAt(pod, "status")["phase"] === "Running"
