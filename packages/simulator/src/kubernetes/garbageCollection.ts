import { objectsAt, stringAt } from "../Json.ts"
import { kindsOf } from "./customResources.ts"
import { apiVersionOf, type Kind, resourceOf } from "./kinds.ts"
import { remove } from "./finalization.ts"
import { keeping } from "./managedFields.ts"
import type { Change, KubernetesState, OwnerReference, Thing } from "./state.ts"
import { allOf, drop, find, put, schedule, withManaged, withMeta } from "./store.ts"

/** How long the garbage collector takes after an owner's end. */
export const collectMillis = 500

/** The owner references of an object. */
export const ownersOf = (thing: Thing): ReadonlyArray<OwnerReference> => {
  return objectsAt(thing.metadata, "ownerReferences").map((reference) => {
    const text = (key: string) => stringAt(reference, key) ?? ""
    return { apiVersion: text("apiVersion"), kind: text("kind"), name: text("name"), uid: text("uid") }
  })
}

const isThere = (state: KubernetesState, kinds: ReadonlyArray<Kind>, thing: Thing, owner: OwnerReference): boolean => {
  const kind = kinds.find((_) => _.kind === owner.kind && apiVersionOf(_) === owner.apiVersion)
  if (kind === undefined) return false
  const namespace = kind.namespaced ? thing.metadata.namespace : undefined
  return find(state, resourceOf(kind), namespace, owner.name)?.metadata.uid === owner.uid
}

const isOrphan = (state: KubernetesState, thing: Thing): boolean => {
  const owners = ownersOf(thing)
  return owners.length > 0 && !owners.some((_) => isThere(state, kindsOf(state), thing, _))
}

/** The dependents of an object, each with its resource. */
const dependents = (state: KubernetesState, uid: string): ReadonlyArray<readonly [resource: string, thing: Thing]> =>
  Object.keys(state.objects).flatMap((resource) =>
    allOf(state, resource)
      .filter((_) => ownersOf(_).some((owner) => owner.uid === uid))
      .map((_) => [resource, _] as const)
  )

/** Schedules a collection for the dependents of a deleted owner, and for an object whose owner does not exist. */
export const noticeOrphans = (state: KubernetesState, { after, before, resource }: Change, now: number): void => {
  if (after === null && before !== null) {
    for (const [of, thing] of dependents(state, before.metadata.uid)) {
      schedule(state, of, thing, now + collectMillis, "collect")
    }
  }
  if (before === null && after !== null && isOrphan(state, after)) {
    schedule(state, resource, after, now + collectMillis, "collect")
  }
}

/** Finalizers of an object whose dependents lose their owner, or go first. */
export const orphaning = "orphan"
export const foreground = "foregroundDeletion"

/**
 * Deletes an object without a remaining owner, as an ordinary deletion. Of an object that is being deleted it does
 * what the finalizer asks for.
 */
export const collect = (state: KubernetesState, resource: string, thing: Thing, now: number): void => {
  const { deletionTimestamp, finalizers = [] } = thing.metadata
  if (deletionTimestamp !== undefined && finalizers.includes(orphaning)) {
    for (const [of, dependent] of dependents(state, thing.metadata.uid)) orphan(state, of, dependent, thing, now)
    return finished(state, resource, thing, orphaning, now)
  }
  if (deletionTimestamp !== undefined && finalizers.includes(foreground)) {
    const left = dependents(state, thing.metadata.uid).filter(([of, _]) => remove(state, of, _, now) !== null)
    const blocking = left.filter(([, _]) =>
      objectsAt(_.metadata, "ownerReferences").some(
        (owner) => owner["uid"] === thing.metadata.uid && owner["blockOwnerDeletion"] === true
      )
    )
    if (blocking.length > 0) return schedule(state, resource, thing, now + collectMillis, "collect")
    return finished(state, resource, thing, foreground, now)
  }
  if (isOrphan(state, thing)) remove(state, resource, thing, now)
}

const finished = (state: KubernetesState, resource: string, thing: Thing, finalizer: string, now: number): void => {
  const finalizers = (thing.metadata.finalizers ?? []).filter((_) => _ !== finalizer)
  const stored = put(state, resource, withMeta(thing, { finalizers }), now)
  if (finalizers.length === 0) drop(state, resource, stored, now)
}

/** Removes the owner's references from a dependent, and their owners with them. */
const orphan = (state: KubernetesState, resource: string, thing: Thing, owner: Thing, now: number): void => {
  const { uid } = owner.metadata
  const left = objectsAt(thing.metadata, "ownerReferences").filter((_) => _["uid"] !== uid)
  const list = ["f:metadata", "f:ownerReferences"].join("\n")
  const kept = (path: string) => !path.startsWith(`${list}\nk:{"uid":"${uid}"}`) && (left.length > 0 || path !== list)
  const managed = (thing.metadata.managedFields ?? []).flatMap((_) => keeping(_, kept))
  put(
    state,
    resource,
    withManaged(withMeta(thing, { ownerReferences: left.length === 0 ? undefined : left }), managed),
    now
  )
}
