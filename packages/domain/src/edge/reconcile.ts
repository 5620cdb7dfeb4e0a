import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { Tenants } from "@portico/store/Tenants"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { FloatingIps } from "@portico/upstream/neutron/FloatingIps"
import { Duration, Effect, Predicate } from "effect"
import { alone, reconcileExposure, isOwnTarget } from "./exposure.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { reconcile } from "../reconcile.ts"
import { edgeKinds, exposureLabel, hostnamesOf, managed } from "./objects.ts"

/** How many exposures are observed with the same few calls. */
const batch = 100

/** The tenant itself is at work on its exposures; the next round is soon enough. */
const patience = Duration.seconds(1)

/**
 * Looks at exposures that are due: whether their addresses are still the
 * tenants', whether their routes are there, and whether something is left of
 * one that was to go. Every replica runs it; each exposure goes to one. What
 * cannot be read is left as it is, and looked at again.
 *
 * @param interval after which an address is due again; a Service, of which
 * there is nothing to be had that could become somebody else's, takes longer
 */
export const reconcileExposures = Effect.fn("edge.reconcile")(function* (interval: Duration.Duration) {
  const { claimDue } = yield* Exposures
  const claim = Effect.flatMap(claimDue(batch, { address: interval, service: Duration.times(interval, 6) }), observe)
  yield* reconcile({ what: "an exposure", claim, batch, concurrency: 4, step: applyTo })
})

/** An exposure with what there is of it. */
interface Observed {
  readonly entry: ExposureEntry
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
    return due.map((entry): Observed => ({
      entry,
      owner: entry.address === null ? undefined : owners.get(entry.address),
      route: routes.find((_) => _.metadata.name === entry.exposure_id)
    }))
  },
  Effect.catch((error) => Effect.as(Effect.logWarning("exposures cannot be observed", error), []))
)

const applyTo = Effect.fnUntraced(function* ({ entry, owner, route }: Observed) {
  const owned = entry.address === null ? yield* isOwnTarget(entry) : owner === entry.project_id
  if (isWell(entry, owned, route)) return
  const apply = Effect.flatMap(mayProgram(entry), (may) =>
    reconcileExposure(entry.exposure_id, { owned, mayProgram: may })
  )
  yield* alone(entry.project_id, patience)(apply)
})

/** Nothing is made in a tenant that is being deleted or closed; what has to go goes. */
const mayProgram = ({ project_id }: ExposureEntry) =>
  Effect.map(
    Effect.flatMap(Tenants, (_) => _.find(project_id)),
    (tenant) => tenant === undefined || tenant.closing.length === 0
  )

const isWell = (entry: ExposureEntry, owned: boolean, route: KubernetesObject | undefined): boolean => {
  if (entry.removing !== null || entry.lost === owned) return false
  return owned ? hasHostnames(route, hostnamesOf(entry)) : route === undefined
}

const hasHostnames = (route: KubernetesObject | undefined, names: ReadonlyArray<string>): boolean => {
  const spec = route?.["spec"]
  const has = Predicate.isObject(spec) && Array.isArray(spec["hostnames"]) ? spec["hostnames"] : []
  return has.length === names.length && names.every((_) => has.includes(_))
}

/**
 * Removes what no exposure is behind: the work of a call that took effect
 * after everybody had given up on it. Forgets claims of long ago. Every
 * replica runs it; twice is no harm, because an exposure's id is never used
 * again.
 */
export const sweepEdge = Effect.fn("edge.sweep")(function* () {
  const exposures = yield* Exposures
  yield* exposures.prune
  const { list, remove } = yield* Kubernetes
  const labelSelector = `${Object.entries(managed)
    .map(([key, value]) => `${key}=${value}`)
    .join(",")},${exposureLabel}`
  // Routes first, here as everywhere.
  for (const kind of [edgeKinds.HTTPRoute, edgeKinds.EndpointSlice, edgeKinds.Service, edgeKinds.ReferenceGrant]) {
    const found = yield* list(kind, { labelSelector })
    // Read after the objects: a row is there before them.
    const known = yield* exposures.known(found.flatMap((_) => exposureIdOf(_) ?? []))
    for (const object of found) {
      const id = exposureIdOf(object)
      const { name, namespace } = object.metadata
      if (id === undefined || known.has(id) || name === undefined || typeof namespace !== "string") continue
      yield* remove(kind, { namespace, name })
    }
  }
})

const exposureIdOf = ({ metadata }: KubernetesObject): string | undefined => {
  const labels = metadata["labels"]
  const id = Predicate.isObject(labels) ? labels[exposureLabel] : undefined
  return typeof id === "string" ? id : undefined
}
