import { kindsOf } from "../customResources.ts"
import { noticeOrphans, ownersOf } from "../garbageCollection.ts"
import { apiVersionOf, resourceOf } from "../kinds.ts"
import type { Change, KubernetesState, Thing } from "../state.ts"
import { allOf, find, omit, schedule, scheduleBy } from "../store.ts"
import { canonicalJson } from "../canonicalJson.ts"
import { backups, clusters, scheduledBackups } from "./cnpg/names.ts"
import { gateways, httpRoutes, referenceGrants } from "./edge/names.ts"
import { clusterLabel, kafkas, nodePools } from "./strimzi/names.ts"
import { timing } from "./timing.ts"

/** The resources that an operator reconciles. */
const reconciled: ReadonlySet<string> = new Set([clusters, backups, scheduledBackups, kafkas, gateways, httpRoutes])

/** The other resources that routes depend on. */
const edges: ReadonlySet<string> = new Set(["services", "namespaces", gateways, referenceGrants])

type Concern = readonly [resource: string, thing: Thing]

const ownersAmong = (state: KubernetesState, thing: Thing): ReadonlyArray<Concern> =>
  ownersOf(thing).flatMap((owner) => {
    const kind = kindsOf(state).find((_) => _.kind === owner.kind && apiVersionOf(_) === owner.apiVersion)
    const resource = kind === undefined ? "" : resourceOf(kind)
    const found = find(state, resource, thing.metadata.namespace, owner.name)
    if (found === undefined) return []
    return reconciled.has(resource) ? [[resource, found] as const] : ownKafka(state, resource, found)
  })

/** The cluster of a node pool. */
const ownKafka = (state: KubernetesState, resource: string, thing: Thing): ReadonlyArray<Concern> => {
  const name = resource === nodePools ? thing.metadata.labels?.[clusterLabel] : undefined
  const found = name === undefined ? undefined : find(state, kafkas, thing.metadata.namespace, name)
  return found === undefined ? [] : [[kafkas, found]]
}

const specified = (thing: Thing): string =>
  canonicalJson({ ...omit(thing, "status"), metadata: omit(thing.metadata, "managedFields", "resourceVersion") })

/** An operator's own status writes trigger no pass. */
const isNews = ({ after, before, resource }: Change): boolean =>
  (!reconciled.has(resource) && resource !== nodePools) ||
  before === null ||
  after === null ||
  specified(before) !== specified(after)

const concerned = (state: KubernetesState, change: Change): ReadonlyArray<Concern> => {
  const { after, before, resource } = change
  const thing = after ?? before
  if (thing === null || !isNews(change)) return []
  const all = (of: string) => allOf(state, of).map((_) => [of, _] as const)
  return [
    ...(after !== null && reconciled.has(resource) ? [[resource, after] as const] : []),
    ...ownKafka(state, resource, thing),
    ...ownersAmong(state, thing),
    ...(edges.has(resource) ? all(httpRoutes) : []),
    ...(resource === httpRoutes ? all(gateways) : [])
  ]
}

/** By cluster: the last version that its operators have seen. */
const seen = new WeakMap<KubernetesState, number>()

/** Whether {@link observe} has seen every change. */
export const hasSeenAll = (state: KubernetesState): boolean => seen.get(state) === state.counters.version

/**
 * The watches of the operators and the garbage collector: each change since the last look schedules the affected
 * objects, after a short delay. After a restart of the process every object counts as changed.
 */
export const observe = (state: KubernetesState, now: number): void => {
  const from = seen.get(state)
  seen.set(state, state.counters.version)
  if (from === undefined) return begin(state, now)
  if (from === state.counters.version) return
  for (const change of state.history.slice(state.history.findLastIndex((_) => _.version <= from) + 1)) {
    noticeOrphans(state, change, now)
    if (change.resource === "events" && change.after !== null) {
      schedule(state, "events", change.after, now + timing.eventLife)
    }
    for (const [resource, thing] of concerned(state, change)) {
      scheduleBy(state, resource, thing, now + timing.react)
    }
  }
}

const begin = (state: KubernetesState, now: number): void => {
  for (const resource of Object.keys(state.objects)) {
    for (const thing of allOf(state, resource)) {
      noticeOrphans(state, { version: 0, at: now, resource, key: "", before: null, after: thing }, now)
      if (reconciled.has(resource)) scheduleBy(state, resource, thing, now + timing.react)
    }
  }
}
