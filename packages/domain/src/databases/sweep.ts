import { leaseTime } from "@portico/store/Leases"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { Clock, DateTime, Duration, Effect, Option } from "effect"
import { stringAt } from "../kubernetes/fields.ts"
import { managedSelector } from "../kubernetes/ownership.ts"

/** A schedule is made before its cluster, under a lease, and the clocks of the cluster and the gateway may differ. */
const settled = Duration.times(leaseTime, 1.5)

/**
 * Removes backup schedules without a database, which a create leaves that was cut short before its last step: their
 * operator would try a backup every half minute. Any replica may run it; a name of a schedule is never used again.
 *
 * Errors: UpstreamError. A cloud without a cluster has none.
 */
export const sweepSchedules = Effect.fn("databases.sweepSchedules")(function* () {
  const { list, present, remove } = yield* Kubernetes
  if (!present) return
  const schedules = yield* list(kinds.scheduledBackup, { labelSelector: managedSelector })
  if (schedules.length === 0) return
  // Read after the schedules: a database that is made meanwhile has a schedule that is not among them.
  const clusters = new Set((yield* list(kinds.cluster, { labelSelector: managedSelector })).map((_) => placeOf(_)))
  const now = yield* Clock.currentTimeMillis
  for (const schedule of schedules) {
    const { name, namespace } = schedule.metadata
    if (name === undefined || typeof namespace !== "string") continue
    const cluster = stringAt(schedule, "spec", "cluster", "name")
    if (cluster === undefined || clusters.has(`${namespace}/${cluster}`) || !isSettled(schedule, now)) continue
    yield* remove(kinds.scheduledBackup, { namespace, name })
  }
})

const placeOf = ({ metadata }: KubernetesObject): string => `${String(metadata["namespace"])}/${metadata.name}`

const isSettled = (object: KubernetesObject, now: number): boolean => {
  const made = DateTime.make(stringAt(object, "metadata", "creationTimestamp") ?? "")
  return Option.isSome(made) && DateTime.toEpochMillis(made.value) + Duration.toMillis(settled) < now
}
