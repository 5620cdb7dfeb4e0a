import type { Ailment, KubernetesState, Thing } from "../state.ts"
import { find, scheduleBy } from "../store.ts"
import { clusters } from "./cnpg/names.ts"
import { kafkas } from "./strimzi/names.ts"

/** A database of the simulated cluster. */
export interface Database {
  readonly namespace: string
  readonly name: string
  /** `Cluster` (PostgreSQL) unless said. */
  readonly kind?: "Cluster" | "Kafka"
}

const resourceOf = ({ kind }: Database): string => (kind === "Kafka" ? kafkas : clusters)

const found = (state: KubernetesState, database: Database): Thing | undefined =>
  find(state, resourceOf(database), database.namespace, database.name)

/**
 * For tests: lets a database go wrong until {@link heal}. From the next call to
 * the cloud on, its operator says the phase and the reason of it (of a `Kafka`,
 * the reason and the message of the condition `NotReady`), and nothing it does
 * helps. Nothing of this is told over the API.
 *
 * @returns whether there is such a database
 */
export const fail = (
  state: KubernetesState,
  database: Database,
  phase: string,
  reason: string,
  readyInstances = 0
): boolean => {
  const thing = found(state, database)
  if (thing === undefined) return false
  const ailment: Ailment = { phase, reason, readyInstances }
  state.ailments[thing.metadata.uid] = ailment
  wake(state, resourceOf(database), thing)
  return true
}

/** For tests: the database is well again, and its operator goes on. */
export const heal = (state: KubernetesState, database: Database): boolean => {
  const thing = found(state, database)
  if (thing === undefined) return false
  delete state.ailments[thing.metadata.uid]
  wake(state, resourceOf(database), thing)
  return true
}

/** At the moment of the last change that the cluster has seen: due by now, whatever the clock says. */
const wake = (state: KubernetesState, resource: string, thing: Thing): void =>
  scheduleBy(state, resource, thing, state.history.at(-1)?.at ?? 0)
