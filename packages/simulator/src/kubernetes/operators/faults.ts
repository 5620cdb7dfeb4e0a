import type { Ailment, KubernetesState, Thing } from "../state.ts"
import { find, scheduleBy } from "../store.ts"
import { clusters } from "./cnpg/names.ts"
import { kafkas } from "./strimzi/names.ts"

/** A database of the simulated cluster. */
export interface Database {
  readonly namespace: string
  readonly name: string
  /** `Cluster` (PostgreSQL) by default. */
  readonly kind?: "Cluster" | "Kafka"
}

const resourceOf = ({ kind }: Database): string => (kind === "Kafka" ? kafkas : clusters)

const found = (state: KubernetesState, database: Database): Thing | undefined =>
  find(state, resourceOf(database), database.namespace, database.name)

/**
 * For tests: makes a database unhealthy until {@link heal}. From the next call to the cloud on, its operator
 * reports the phase and the reason (of a `Kafka`, the reason and the message of the condition `NotReady`) and
 * does not recover. The API does not show the fault itself.
 * @returns whether the database exists
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
  const fault: Ailment = { phase, reason, readyInstances }
  state.ailments[thing.metadata.uid] = fault
  wake(state, resourceOf(database), thing)
  return true
}

/** For tests: ends the fault, and its operator continues. */
export const heal = (state: KubernetesState, database: Database): boolean => {
  const thing = found(state, database)
  if (thing === undefined) return false
  delete state.ailments[thing.metadata.uid]
  wake(state, resourceOf(database), thing)
  return true
}

/** Scheduled at the time of the last change, so that it is due at any clock. */
const wake = (state: KubernetesState, resource: string, thing: Thing): void =>
  scheduleBy(state, resource, thing, state.history.at(-1)?.at ?? 0)
