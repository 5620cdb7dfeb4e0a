import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect, Predicate } from "effect"
import { listAt } from "./fields.ts"
import { managedSelector, namespacesOf } from "./ownership.ts"
import { peersOf } from "./policies.ts"

/**
 * Adds peers to the listeners of managed Kafkas from before listeners had peers: without them the
 * Strimzi operator admits every pod of the cluster. It does nothing when all listeners have peers,
 * and in a cluster without the operator. Repeatable.
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
        // A merge patch replaces lists as a whole, so it must apply to the version that was read.
        metadata: { resourceVersion },
        spec: {
          kafka: { listeners: listeners.map((_) => ({ ..._, networkPolicyPeers: _["networkPolicyPeers"] ?? peers })) }
        }
      }
    )
    // Another client has changed or removed it meanwhile: the next write checks again.
    yield* Effect.catchIf(
      closed,
      (error) => error.status === 409 || error.status === 404,
      () => Effect.void
    )
  }
})

const listenersOf = (kafka: KubernetesObject): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  listAt(kafka, "spec", "kafka", "listeners").filter(Predicate.isObject)
