import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { Tenants } from "@portico/store/Tenants"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { FloatingIps } from "@portico/upstream/neutron/FloatingIps"
import { Duration, Effect, Predicate } from "effect"
import { labelOf, managedSelector } from "../kubernetes/ownership.ts"
import { reconcile } from "../work/reconcile.ts"
import { underTenantLease, reconcileExposure, isOwnTarget } from "./exposure.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { edgeKinds, exposureLabel, hostnamesOf } from "./objects.ts"

/** The exposures that one claim takes; a few calls observe all of them. */
const batch = 100

/** The longest wait for the tenant's lease: another change holds it, and the next round comes soon enough. */
const leaseTimeout = Duration.seconds(1)

/**
 * Reconciles due exposures: checks whether their addresses still belong to the tenants, whether
 * their routes exist, and whether a removal is incomplete. Any replica may run it; each exposure
 * goes to one replica. An exposure that cannot be read stays as it is, and is checked again.
 *
 * @param interval after which an address is due again. A Service is due less often, because it
 * cannot pass to another tenant.
 */
export const reconcileExposures = Effect.fn("edge.reconcile")(function* (interval: Duration.Duration) {
  const { claimDue } = yield* Exposures
  const claim = Effect.flatMap(claimDue(batch, { address: interval, service: Duration.times(interval, 6) }), observe)
  yield* reconcile({ what: "an exposure", claim, batch, concurrency: 4, step: applyTo })
})

/** An exposure with its state, which is undefined when it could not be observed. */
interface Observed {
  readonly entry: ExposureEntry
  readonly state: State | undefined
}

interface State {
  /** The project that its address belongs to. */
  readonly owner: string | undefined
  readonly route: KubernetesObject | undefined
}

const observe = Effect.fnUntraced(
  function* (due: ReadonlyArray<ExposureEntry>) {
    if (due.length === 0) return []
    const owners = yield* (yield* FloatingIps).ownersOf(due.flatMap((_) => _.address ?? []))
    const { list } = yield* Kubernetes
    const { namespace } = (yield* EdgeSettings).gateway
    const ids = due.map((_) => _.exposure_id).join(",")
    const routes = yield* list(edgeKinds.HTTPRoute, { namespace, labelSelector: `${exposureLabel} in (${ids})` })
    return due.map((entry): Observed => {
      const owner = entry.address === null ? undefined : owners.get(entry.address)
      return { entry, state: { owner, route: routes.find((_) => _.metadata.name === entry.exposure_id) } }
    })
  },
  // The round goes on with the next exposures that are due.
  (observed, due) =>
    Effect.catch(observed, (error) =>
      Effect.as(
        Effect.logWarning("exposures cannot be observed", error),
        due.map((entry): Observed => ({ entry, state: undefined }))
      )
    )
)

const applyTo = Effect.fnUntraced(function* ({ entry, state }: Observed) {
  if (state === undefined) return
  const { owner, route } = state
  const owned = entry.address === null ? yield* isOwnTarget(entry) : owner === entry.project_id
  if (isReconciled(entry, owned, route)) return
  const apply = Effect.flatMap(mayProgram(entry), (may) =>
    reconcileExposure(entry.exposure_id, { owned, mayProgram: may })
  )
  yield* underTenantLease(entry.project_id, leaseTimeout)(apply)
})

/** Nothing is created for a tenant that is being deleted or closed; removals go on. */
const mayProgram = ({ project_id }: ExposureEntry) =>
  Effect.map(
    Effect.flatMap(Tenants, (_) => _.find(project_id)),
    (tenant) => tenant === undefined || tenant.closing.length === 0
  )

const isReconciled = (entry: ExposureEntry, owned: boolean, route: KubernetesObject | undefined): boolean => {
  if (entry.removing !== null || entry.lost === owned) return false
  return owned ? hasHostnames(route, hostnamesOf(entry)) : route === undefined
}

const hasHostnames = (route: KubernetesObject | undefined, names: ReadonlyArray<string>): boolean => {
  const spec = route?.["spec"]
  const has = Predicate.isObject(spec) && Array.isArray(spec["hostnames"]) ? spec["hostnames"] : []
  return has.length === names.length && names.every((_) => has.includes(_))
}

/**
 * Removes objects without an exposure, which an abandoned call may have created after its cleanup,
 * and prunes old claims. Any replica may run it; a second run does no harm, because an exposure's id
 * is never used again.
 */
export const sweepEdge = Effect.fn("edge.sweep")(function* () {
  const exposures = yield* Exposures
  yield* exposures.prune
  const { list, remove } = yield* Kubernetes
  const { namespace } = (yield* EdgeSettings).gateway
  const labelSelector = `${managedSelector},${exposureLabel}`
  // Routes go first, as everywhere. In namespaces of tenants, who can label their own objects, there are only grants.
  for (const kind of [edgeKinds.HTTPRoute, edgeKinds.EndpointSlice, edgeKinds.Service, edgeKinds.ReferenceGrant]) {
    const found = yield* list(
      kind,
      kind === edgeKinds.ReferenceGrant ? { labelSelector } : { namespace, labelSelector }
    )
    // Read after the objects: an exposure's row is written before its objects.
    const known = yield* exposures.known(found.flatMap((_) => exposureIdOf(_) ?? []))
    for (const object of found) {
      const id = exposureIdOf(object)
      const { name, namespace } = object.metadata
      if (id === undefined || known.has(id) || name === undefined || typeof namespace !== "string") continue
      yield* remove(kind, { namespace, name })
    }
  }
})

const exposureIdOf = (object: KubernetesObject) => labelOf(object, exposureLabel)
