import { NotFound } from "@portico/contract/Failures"
import { ClusterSettings } from "@portico/domain/kubernetes/ClusterSettings"
import { ensureNamespace } from "@portico/domain/kubernetes/ensureNamespace"
import { Tenants } from "@portico/store/Tenants"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Cache, Duration, Effect, Exit } from "effect"

/** A namespace that is there stays there; its quota follows a move of the tier within this time. */
const believed = Duration.minutes(5)
const capacity = 10_000

const whenTrue = (exit: Exit.Exit<boolean, unknown>): Duration.Duration =>
  Exit.isSuccess(exit) && exit.value ? believed : Duration.zero

/**
 * Whether tenants have their namespaces yet. A write makes what is missing; a
 * read makes nothing, and finds nothing. A client that asks first whether
 * something is there, as `kubectl apply` does, is told 404 by it; the API
 * server would say 403, since nobody was let into the namespace either.
 */
export const makeTenancy = Effect.gen(function* () {
  const tenants = yield* Tenants
  const kubernetes = yield* Kubernetes
  const settings = yield* ClusterSettings

  /** False for a project that was never onboarded: nothing is made for it. */
  const ensured = yield* Cache.makeWith(
    Effect.fnUntraced(function* (projectId: string) {
      const tenant = yield* tenants.find(projectId)
      if (tenant === undefined) return false
      yield* ensureNamespace(projectId, tenant.suspended ? "suspended" : tenant.tier).pipe(
        Effect.provideService(Kubernetes, kubernetes),
        Effect.provideService(ClusterSettings, settings)
      )
      return true
    }),
    { capacity, timeToLive: whenTrue }
  )

  const seen = yield* Cache.makeWith(
    (namespace: string) => Effect.map(kubernetes.find(kinds.namespace, { name: namespace }), (_) => _ !== undefined),
    { capacity, timeToLive: whenTrue }
  )

  return {
    /** Before a write: the namespace is there afterwards, with the limits of the tenant's tier. */
    beforeWrite: (projectId: string) => Effect.asVoid(Cache.get(ensured, projectId)),
    /** Before a read of the tenant's own namespace: 404 while there is none. */
    beforeRead: (namespace: string) =>
      Effect.flatMap(Cache.get(seen, namespace), (there) =>
        there ? Effect.void : Effect.fail(NotFound.namespaceUnused(namespace))
      )
  }
})
