import { kindsOf } from "../crds.ts"
import { noticeOrphans, ownersOf } from "../garbage.ts"
import { apiVersionOf, resourceOf } from "../kinds.ts"
import type { Change, KubernetesState, Thing } from "../state.ts"
import { allOf, find, omit, schedule, scheduleBy } from "../store.ts"
import { canonicalJson } from "../validate.ts"
import { backups, clusters, scheduledBackups } from "./cnpg/names.ts"
import { gateways, httpRoutes, referenceGrants } from "./edge/names.ts"
import { clusterLabel, kafkas, nodePools } from "./strimzi/names.ts"
import { timing } from "./timing.ts"

/** The resources that somebody looks after. */
const tended: ReadonlySet<string> = new Set([clusters, backups, scheduledBackups, kafkas, gateways, httpRoutes])

/** What routes depend on beside themselves. */
const edges: ReadonlySet<string> = new Set(["services", "namespaces", gateways, referenceGrants])

type Concern = readonly [resource: string, thing: Thing]

const ownersAmong = (state: KubernetesState, thing: Thing): ReadonlyArray<Concern> =>
  ownersOf(thing).flatMap((owner) => {
    const kind = kindsOf(state).find((_) => _.kind === owner.kind && apiVersionOf(_) === owner.apiVersion)
    const resource = kind === undefined ? "" : resourceOf(kind)
    const found = find(state, resource, thing.metadata.namespace, owner.name)
    if (found === undefined) return []
    return tended.has(resource) ? [[resource, found] as const] : ownKafka(state, resource, found)
  })

/** The cluster that a node pool names. */
const ownKafka = (state: KubernetesState, resource: string, thing: Thing): ReadonlyArray<Concern> => {
  const name = resource === nodePools ? thing.metadata.labels?.[clusterLabel] : undefined
  const found = name === undefined ? undefined : find(state, kafkas, thing.metadata.namespace, name)
  return found === undefined ? [] : [[kafkas, found]]
}

const specified = (thing: Thing): string =>
  canonicalJson({ ...omit(thing, "status"), metadata: omit(thing.metadata, "managedFields", "resourceVersion") })

/** Operators write into the status themselves, and do not wake each other by it. */
const isNews = ({ after, before, resource }: Change): boolean =>
  (!tended.has(resource) && resource !== nodePools) ||
  before === null ||
  after === null ||
  specified(before) !== specified(after)

const concerned = (state: KubernetesState, change: Change): ReadonlyArray<Concern> => {
  const { after, before, resource } = change
  const thing = after ?? before
  if (thing === null || !isNews(change)) return []
  const all = (of: string) => allOf(state, of).map((_) => [of, _] as const)
  return [
    ...(after !== null && tended.has(resource) ? [[resource, after] as const] : []),
    ...ownKafka(state, resource, thing),
    ...ownersAmong(state, thing),
    ...(edges.has(resource) ? all(httpRoutes) : []),
    ...(resource === httpRoutes ? all(gateways) : [])
  ]
}

/** By cluster: up to which version its operators have seen everything. They begin with all there is. */
const seen = new WeakMap<KubernetesState, number>()

/**
 * What operators and the garbage collector watch: everything that has changed
 * since they last looked wakes those whom it concerns, a moment later. After a
 * start of the process everything is new to them.
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
      if (tended.has(resource)) scheduleBy(state, resource, thing, now + timing.react)
    }
  }
}
