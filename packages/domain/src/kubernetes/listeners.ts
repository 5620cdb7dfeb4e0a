import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect, Predicate } from "effect"
import { managedSelector, namespacesOf } from "./ownership.ts"
import { peersOf } from "./policies.ts"

/**
 * Closes the listeners of managed Kafkas that were made before listeners had
 * peers: the operator would go on letting every pod of the cluster in. Nothing
 * where all have theirs, and in a cluster without the operator. Repeatable.
 *
 * Errors: UpstreamError.
 */
export const closeListeners = Effect.fn("kubernetes.closeListeners")(function* (projectId: string, namespace: string) {
  const { list, merge } = yield* Kubernetes
  const found = yield* list(kinds.kafka, { namespace, labelSelector: managedSelector }).pipe(
    Effect.catchIf(
      // Without the operator, or without rights on its kinds, the gateway manages no Kafka here.
      (error) => error.status === 404 || error.status === 403,
      () => Effect.succeed<ReadonlyArray<KubernetesObject>>([])
    )
  )
  const peers = peersOf(namespacesOf(projectId))
  for (const kafka of found) {
    const listeners = listenersOf(kafka)
    if (listeners.every((_) => Array.isArray(_["networkPolicyPeers"]))) continue
    const { name = "", resourceVersion } = kafka.metadata
    const closed = merge(
      kinds.kafka,
      { namespace, name },
      {
        // A patch replaces lists whole: only the ones that were looked at.
        metadata: { resourceVersion },
        spec: {
          kafka: { listeners: listeners.map((_) => ({ ..._, networkPolicyPeers: _["networkPolicyPeers"] ?? peers })) }
        }
      }
    )
    // Somebody else changed it meanwhile, or removed it: the next write looks again.
    yield* Effect.catchIf(
      closed,
      (error) => error.status === 409 || error.status === 404,
      () => Effect.void
    )
  }
})

const listenersOf = (kafka: KubernetesObject): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const spec = kafka["spec"]
  const inner = Predicate.isObject(spec) ? spec["kafka"] : undefined
  const listeners = Predicate.isObject(inner) ? inner["listeners"] : undefined
  return Array.isArray(listeners) ? listeners.filter(Predicate.isObject) : []
}
