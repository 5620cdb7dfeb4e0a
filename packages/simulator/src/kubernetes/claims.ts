import { objectAt, objectsAt, stringAt } from "../Json.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { drop, inNamespace, put, schedule, withMeta } from "./store.ts"

/** How long the provisioner takes to bind or grow a claim. */
export const provisionMillis = 1_000

const protection = "kubernetes.io/pvc-protection"

/** The default storage class, and the finalizer of a claim that a pod uses. */
export const prepareClaim = (claim: Thing): Thing => {
  const spec = objectAt(claim, "spec")
  const finalizers = [...(claim.metadata.finalizers ?? []), protection]
  return { ...withMeta(claim, { finalizers }), spec: { storageClassName: "rbd", ...spec } }
}

/**
 * Binds a claim of the known storage class and grows it to the requested size; a claim of another class stays
 * pending.
 */
export const elapseClaim = (state: KubernetesState, claim: Thing, now: number): void => {
  if (claim.metadata.deletionTimestamp !== undefined) return release(state, claim, now)
  const spec = objectAt(claim, "spec")
  const name = stringAt(spec, "storageClassName") ?? ""
  if (state.objects["storageclasses.storage.k8s.io"]?.[`/${name}`] === undefined) return
  put(
    state,
    "persistentvolumeclaims",
    {
      ...claim,
      spec: { ...spec, volumeName: `pvc-${claim.metadata.uid}` },
      status: {
        phase: "Bound",
        accessModes: spec["accessModes"],
        capacity: { storage: objectAt(spec, "resources", "requests")["storage"] }
      }
    },
    now
  )
}

/** Removes a deleted claim once no pod uses it. */
const release = (state: KubernetesState, claim: Thing, now: number): void => {
  const { name, namespace = "" } = claim.metadata
  const used = inNamespace(state, "pods", namespace).some((pod) =>
    objectsAt(pod, "spec", "volumes").some((_) => objectAt(_, "persistentVolumeClaim")["claimName"] === name)
  )
  if (used) return schedule(state, "persistentvolumeclaims", claim, now + provisionMillis)
  const finalizers = (claim.metadata.finalizers ?? []).filter((_) => _ !== protection)
  if (finalizers.length === 0) return drop(state, "persistentvolumeclaims", claim, now)
  if (finalizers.length !== claim.metadata.finalizers?.length) {
    put(state, "persistentvolumeclaims", withMeta(claim, { finalizers }), now)
  }
}
