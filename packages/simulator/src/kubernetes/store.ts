import { entry, type JsonObject } from "../Json.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import { announce } from "./hub.ts"
import type { KubernetesState, Meta, Task, Thing } from "./state.ts"

/** As etcd is compacted: older changes can be neither watched nor listed. */
const historyMillis = 5 * 60_000

const historyLimit = 2_000

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ""}/${name}`

export const keyOfThing = ({ metadata }: Thing): string => keyOf(metadata.namespace, metadata.name)

/** An object without some of its fields. */
export const omit = (object: JsonObject, ...keys: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))

export const find = (state: KubernetesState, resource: string, namespace: string | undefined, name: string) => {
  const all = state.objects[resource]
  const key = keyOf(namespace, name)
  return all && entry(all, key)
}

const under = (state: KubernetesState, resource: string, prefix: string): ReadonlyArray<Thing> => {
  const all = state.objects[resource] ?? {}
  const keys = Object.keys(all).filter((_) => _.startsWith(prefix))
  return keys.toSorted().flatMap((_) => all[_] ?? [])
}

/** All of one resource, in the order of their keys, as etcd lists them. */
export const allOf = (state: KubernetesState, resource: string): ReadonlyArray<Thing> => under(state, resource, "")

export const inNamespace = (state: KubernetesState, resource: string, namespace: string): ReadonlyArray<Thing> =>
  under(state, resource, keyOf(namespace, ""))

export const withMeta = (thing: Thing, meta: Partial<Meta>): Thing => ({
  ...thing,
  metadata: { ...thing.metadata, ...meta }
})

/** No list at all when nobody owns a field. */
export const withManaged = (thing: Thing, managedFields: Meta["managedFields"]): Thing => {
  const { managedFields: _, ...metadata } = thing.metadata
  return {
    ...thing,
    metadata: managedFields === undefined || managedFields.length === 0 ? metadata : { ...metadata, managedFields }
  }
}

/** Writes an object under the next version of the store, and says so to those who watch. */
export const put = (state: KubernetesState, resource: string, thing: Thing, now: number): Thing => {
  const version = nextVersion(state)
  const after = withMeta(thing, { resourceVersion: String(version) })
  const key = keyOfThing(thing)
  const all = (state.objects[resource] ??= {})
  const before = all[key] ?? null
  all[key] = after
  remember(state, { version, at: now, resource, key, before, after }, now)
  return after
}

/** Takes an object away for good, finalizers or not. */
export const drop = (state: KubernetesState, resource: string, thing: Thing, now: number): void => {
  const version = nextVersion(state)
  const key = keyOfThing(thing)
  delete state.objects[resource]?.[key]
  const { uid } = thing.metadata
  for (const timer of [uid, timerKey(uid, "collect"), timerKey(uid, "archive")]) delete state.timers[timer]
  delete state.disks[uid]
  delete state.ailments[uid]
  if (resource === "pods") forgetLogs(state, `${key}/`)
  remember(state, { version, at: now, resource, key, before: thing, after: null }, now)
}

const forgetLogs = (state: KubernetesState, prefix: string): void => {
  for (const key of Object.keys(state.logs)) if (key.startsWith(prefix)) delete state.logs[key]
}

const nextVersion = ({ counters }: KubernetesState): number => {
  counters.version += 1
  return counters.version
}

const remember = (state: KubernetesState, change: KubernetesState["history"][number], now: number): void => {
  state.history.push(change)
  forgetHistory(state, now)
  announce(state)
}

/** Drops the changes that are older than the window. */
export const forgetHistory = ({ counters, history }: KubernetesState, now: number): void => {
  const kept = history.findIndex((_) => _.at >= now - historyMillis)
  const old = Math.max(kept < 0 ? history.length : kept, history.length - historyLimit)
  const last = history[old - 1]
  if (last === undefined) return
  counters.compacted = last.version
  history.splice(0, old)
}

export const timerKey = (uid: string, task: Task | undefined): string => (task === undefined ? uid : `${uid} ${task}`)

/** Lets something happen to an object later; of each task one at a time. */
export const schedule = (state: KubernetesState, resource: string, thing: Thing, at: number, task?: Task): void => {
  const { uid } = thing.metadata
  const timer = { resource, key: keyOfThing(thing), uid, at }
  state.timers[timerKey(uid, task)] = task === undefined ? timer : { ...timer, task }
}

/** The same, unless it is to happen sooner already. */
export const scheduleBy = (state: KubernetesState, resource: string, thing: Thing, at: number, task?: Task): void => {
  const known = state.timers[timerKey(thing.metadata.uid, task)]
  if (known === undefined || known.at > at) schedule(state, resource, thing, at, task)
}

/** What a resource held at an earlier version of the store that history still reaches back to. */
export const objectsAt = (state: KubernetesState, kind: Kind, version: number): ReadonlyArray<Thing> => {
  const resource = resourceOf(kind)
  const then = new Map(Object.entries(state.objects[resource] ?? {}))
  for (const change of state.history.toReversed()) {
    if (change.version <= version) break
    if (change.resource !== resource) continue
    if (change.before === null) then.delete(change.key)
    else then.set(change.key, change.before)
  }
  return [...then].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, thing]) => thing)
}
