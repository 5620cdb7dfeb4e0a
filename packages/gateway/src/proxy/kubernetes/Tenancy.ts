import { Forbidden, NotFound } from "@portico/contract/Failures"
import { isOfDatabase, withinBounds } from "@portico/domain/databases/holdings"
import { ClusterSettings } from "@portico/domain/kubernetes/ClusterSettings"
import { ensureNamespace } from "@portico/domain/kubernetes/ensureNamespace"
import { Tenants } from "@portico/store/Tenants"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Cache, Duration, Effect, Exit } from "effect"
import type { Changed } from "./access.ts"
import { databasesElsewhere } from "./writable.ts"

/** Cache lifetime: an existing namespace stays, and its quota follows a change of tier within this time. */
const cacheTime = Duration.minutes(5)
const capacity = 10_000

/** What the name of a claim consists of. In a selector, other characters have a meaning. */
const claimName = /^[a-z0-9.-]+$/

const onlyTrue = (exit: Exit.Exit<boolean, unknown>): Duration.Duration =>
  Exit.isSuccess(exit) && exit.value ? cacheTime : Duration.zero

/**
 * Ensures that tenants have their namespaces. A write creates what is missing; a read creates nothing. A client that
 * first checks whether an object exists, as `kubectl apply` does, gets 404. The API server would answer 403, because
 * no role binding exists yet in the namespace.
 */
export const makeTenancy = Effect.gen(function* () {
  const tenants = yield* Tenants
  const kubernetes = yield* Kubernetes
  const settings = yield* ClusterSettings

  /** False for a project that was never onboarded: nothing is created for it. */
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
    { capacity, timeToLive: onlyTrue }
  )

  const seen = yield* Cache.makeWith(
    (namespace: string) => Effect.map(kubernetes.find(kinds.namespace, { name: namespace }), (_) => _ !== undefined),
    { capacity, timeToLive: onlyTrue }
  )

  /** The gateway's account may get Secrets, and only list claims: docs/operators/kubernetes.md. */
  const storedOf = (namespace: string, { kind, name }: Changed) => {
    if (kind === kinds.secret) return kubernetes.find(kind, { namespace, name })
    if (!claimName.test(name)) return Effect.undefined
    const named = kubernetes.list(kind, { namespace, fieldSelector: `metadata.name=${name}` })
    return Effect.map(named, (all) => all.find(({ metadata }) => metadata.name === name))
  }

  return {
    /** Before a write: creates or updates the namespace with the limits of the tenant's tier. */
    beforeWrite: (projectId: string) => Effect.asVoid(Cache.get(ensured, projectId)),
    /** Before a read in the tenant's namespace: fails with 404 while the namespace does not exist. */
    beforeRead: (namespace: string) =>
      Effect.flatMap(Cache.get(seen, namespace), (exists) =>
        exists ? Effect.void : Effect.fail(NotFound.namespaceUnused(namespace))
      ),
    /**
     * Before an object is replaced or patched that a managed database may own: fails with 403 when one does. Its operator
     * takes passwords and certificate authorities from Secrets, and its claims are what the database costs.
     */
    beforeChange: (namespace: string, { kind, name }: Changed) =>
      Effect.flatMap(withinBounds(storedOf(namespace, { kind, name })), (stored) =>
        stored !== undefined && isOfDatabase(stored)
          ? Effect.fail(Forbidden.clusterKind(`the ${kind.kind} of a managed database`, databasesElsewhere))
          : Effect.void
      )
  }
})
