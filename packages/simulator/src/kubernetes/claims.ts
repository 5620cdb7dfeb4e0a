import { objectAt, stringAt } from "../Json.ts"
import { containersIn } from "./pods.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { drop, inNamespace, put, schedule, withMeta } from "./store.ts"

/** From a claim, or its growth, until the provisioner has done it. */
export const provisionMillis = 1_000

const protection = "kubernetes.io/pvc-protection"

/** The class of a claim that names none, and the finalizer that keeps it while a pod uses it. */
export const prepareClaim = (claim: Thing): Thing => {
  const spec = objectAt(claim, "spec")
  const finalizers = [...(claim.metadata.finalizers ?? []), protection]
  return { ...withMeta(claim, { finalizers }), spec: { storageClassName: "rbd", volumeMode: "Filesystem", ...spec } }
}

/** Storage of the known class is bound, and grown to what is asked for; of any other it waits for ever. */
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

/** A claim that is to go goes once no pod uses it. */
const release = (state: KubernetesState, claim: Thing, now: number): void => {
  const { name, namespace = "" } = claim.metadata
  const used = inNamespace(state, "pods", namespace).some((pod) =>
    containersIn(objectAt(pod, "spec"), "volumes").some(
      (_) => objectAt(_, "persistentVolumeClaim")["claimName"] === name
    )
  )
  if (used) return schedule(state, "persistentvolumeclaims", claim, now + provisionMillis)
  const finalizers = (claim.metadata.finalizers ?? []).filter((_) => _ !== protection)
  if (finalizers.length === 0) return drop(state, "persistentvolumeclaims", claim, now)
  if (finalizers.length !== claim.metadata.finalizers?.length) {
    put(state, "persistentvolumeclaims", withMeta(claim, { finalizers }), now)
  }
}
