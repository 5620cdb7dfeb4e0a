import type { World } from "../../World.ts"
import type { Task, Thing } from "../state.ts"
import { drop } from "../store.ts"
import { archiveLog, reconcileBackup } from "./cnpg/backup.ts"
import { reconcileCluster } from "./cnpg/cluster.ts"
import { backups, clusters, cnpg, scheduledBackups } from "./cnpg/names.ts"
import { reconcileSchedule } from "./cnpg/scheduled.ts"
import { reconcileGateway } from "./edge/gateways.ts"
import { edge, gateways, httpRoutes } from "./edge/names.ts"
import { reconcileRoute } from "./edge/routes.ts"
import type { Operator } from "./Operator.ts"
import { reconcileKafka } from "./strimzi/kafka.ts"
import { kafkas, strimzi } from "./strimzi/names.ts"
import type { Pass } from "./writes.ts"

const tasks: Readonly<Record<string, readonly [operator: Operator, look: (pass: Pass, thing: Thing) => void]>> = {
  [clusters]: [cnpg, reconcileCluster],
  [`${clusters} archive`]: [cnpg, archiveLog],
  [backups]: [cnpg, reconcileBackup],
  [scheduledBackups]: [cnpg, reconcileSchedule],
  [kafkas]: [strimzi, reconcileKafka],
  [gateways]: [edge, reconcileGateway],
  [httpRoutes]: [edge, reconcileRoute],
  // Events expire without an operator.
  events: [cnpg, ({ now, state }, event) => drop(state, "events", event, now)]
}

/** Runs an operator's pass over an object at its due time. */
export const reconcile = (world: World, resource: string, thing: Thing, now: number, task: Task | undefined): void => {
  const [operator, look] = tasks[task === undefined ? resource : `${resource} ${task}`] ?? []
  if (operator !== undefined && look !== undefined) look({ world, state: world.kubernetes, now, operator }, thing)
}
