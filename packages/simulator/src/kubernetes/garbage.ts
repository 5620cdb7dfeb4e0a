import { objectAt, stringAt } from "../Json.ts"
import { kindsOf } from "./crds.ts"
import { apiVersionOf, type Kind, resourceOf } from "./kinds.ts"
import { remove } from "./remove.ts"
import type { Change, KubernetesState, OwnerReference, Thing } from "./state.ts"
import { allOf, find, put, schedule, withMeta } from "./store.ts"

/** From the end of an owner until the garbage collector has looked at what it leaves behind. */
export const collectMillis = 500

/** The owners that an object names. */
export const ownersOf = (thing: Thing): ReadonlyArray<OwnerReference> => {
  const references = thing.metadata["ownerReferences"]
  if (!Array.isArray(references)) return []
  return references.map((_) => {
    const reference = objectAt(_)
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

/** What names the object as its owner, with the resource that it is of. */
const dependents = (state: KubernetesState, uid: string): ReadonlyArray<readonly [resource: string, thing: Thing]> =>
  Object.keys(state.objects).flatMap((resource) =>
    allOf(state, resource)
      .filter((_) => ownersOf(_).some((owner) => owner.uid === uid))
      .map((_) => [resource, _] as const)
  )

/** The collector hears of an owner that went, and of an object whose owner never was. */
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

/** What has no owner left goes as if somebody had deleted it. */
export const collect = (state: KubernetesState, resource: string, thing: Thing, now: number): void => {
  if (isOrphan(state, thing)) remove(state, resource, thing, now)
}

/** `propagationPolicy: Orphan`: what belonged to the object belongs to nobody from now on. */
export const orphan = (state: KubernetesState, owner: Thing, now: number): void => {
  for (const [resource, thing] of dependents(state, owner.metadata.uid)) {
    const left = ownersOf(thing).filter((_) => _.uid !== owner.metadata.uid)
    put(state, resource, withMeta(thing, { ownerReferences: left.length === 0 ? undefined : left }), now)
  }
}
