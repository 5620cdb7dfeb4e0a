import { objectsAt, stringAt } from "../Json.ts"
import { kindsOf } from "./customResources.ts"
import { apiVersionOf, type Kind, resourceOf } from "./kinds.ts"
import { remove } from "./finalization.ts"
import type { Change, KubernetesState, OwnerReference, Thing } from "./state.ts"
import { allOf, find, put, schedule, withMeta } from "./store.ts"

/** How long the garbage collector takes after an owner's end. */
const collectMillis = 500

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

/** Deletes an object without a remaining owner, as an ordinary deletion. */
export const collect = (state: KubernetesState, resource: string, thing: Thing, now: number): void => {
  if (isOrphan(state, thing)) remove(state, resource, thing, now)
}

/** `propagationPolicy: Orphan`: removes the owner's references from its dependents. */
export const orphan = (state: KubernetesState, owner: Thing, now: number): void => {
  for (const [resource, thing] of dependents(state, owner.metadata.uid)) {
    const left = ownersOf(thing).filter((_) => _.uid !== owner.metadata.uid)
    put(state, resource, withMeta(thing, { ownerReferences: left.length === 0 ? undefined : left }), now)
  }
}
