import { objectAt } from "../Json.ts"
import { toSecondsUtc } from "../times.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import { provisionMillis } from "./claims.ts"
import { isOver, stopMillis } from "./pods.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { allOf, drop, put, schedule, withMeta } from "./store.ts"

/** How long the namespace controller takes to look at a deleted namespace. */
const namespaceMillis = 1_000

/** The default grace period of a pod. */
const graceSeconds = 30

/**
 * Deletes an object, or only marks it as deleted while finalizers, running containers or a namespace's content
 * remain. Returns the marked object, or null when the object is gone.
 */
export const remove = (
  state: KubernetesState,
  resource: string,
  thing: Thing,
  now: number,
  graceOf?: number
): Thing | null => {
  const held = (thing.metadata.finalizers ?? []).length > 0
  if (resource === "namespaces") return terminate(state, thing, now)
  // Without a node there are no containers to stop.
  const runs = resource === "pods" && !isOver(thing) && objectAt(thing, "spec")["nodeName"] !== undefined
  const grace = runs ? (graceOf ?? graceSeconds) : 0
  if (grace === 0 && !held) {
    drop(state, resource, thing, now)
    return null
  }
  if (thing.metadata.deletionTimestamp !== undefined) return thing
  const deletionTimestamp = toSecondsUtc(now + grace * 1000)
  const { generation } = thing.metadata
  const marks = {
    deletionTimestamp,
    deletionGracePeriodSeconds: grace,
    ...(generation === undefined ? {} : { generation: generation + 1 })
  }
  const marked = put(state, resource, withMeta(thing, marks), now)
  if (resource === "pods") schedule(state, resource, marked, now + Math.min(grace * 1000, stopMillis))
  if (resource === "persistentvolumeclaims") schedule(state, resource, marked, now + provisionMillis)
  return marked
}

const terminate = (state: KubernetesState, namespace: Thing, now: number): Thing => {
  if (namespace.metadata.deletionTimestamp !== undefined) return namespace
  const marked = { ...withMeta(namespace, { deletionTimestamp: toSecondsUtc(now) }), status: { phase: "Terminating" } }
  const stored = put(state, "namespaces", marked, now)
  schedule(state, "namespaces", stored, now + namespaceMillis)
  return stored
}

/** Empties a terminating namespace, and removes it once it is empty. */
export const elapseNamespace = (state: KubernetesState, namespace: Thing, now: number): void => {
  if (namespace.metadata.deletionTimestamp === undefined) return
  const { name } = namespace.metadata
  const content = () =>
    Object.keys(state.objects).flatMap((resource) =>
      allOf(state, resource).flatMap((_) => (_.metadata.namespace === name ? [[resource, _] as const] : []))
    )
  for (const [resource, thing] of content()) remove(state, resource, thing, now)
  if (content().length === 0 && (namespace.metadata.finalizers ?? []).length === 0) {
    drop(state, "namespaces", namespace, now)
  } else {
    schedule(state, "namespaces", namespace, now + namespaceMillis)
  }
}

/** Kinds whose deletion answers with the object instead of a Status. */
const answeredWhole = new Set(["pods", "services", "persistentvolumeclaims", "resourcequotas", "serviceaccounts"])

export const isAnsweredWhole = (kind: Kind): boolean => answeredWhole.has(resourceOf(kind))
