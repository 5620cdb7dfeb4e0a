import { Conflict } from "@portico/contract/Failures"
import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { FloatingIps } from "@portico/upstream/neutron/FloatingIps"
import { Duration, Effect, Predicate } from "effect"
import { exclusively } from "../work/exclusively.ts"
import { tenantNamespace } from "../kubernetes/ownership.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { edgeKinds, piecesOf } from "./objects.ts"

/** The 409 for a lease that another change holds too long. */
export const busy = () => Conflict.concurrentChange("the exposures of the tenant")

/** Runs one change of a tenant's exposures at a time, because changes use their ceiling and write their objects. */
export const underTenantLease = (projectId: string, waiting?: Duration.Duration) =>
  exclusively(`edge/${projectId}`, busy, waiting)

/** Creates or repairs the objects of an exposure, in the order of their dependencies. */
export const program = Effect.fn("edge.program")(function* (entry: ExposureEntry) {
  const { apply } = yield* Kubernetes
  return yield* Effect.forEach(piecesOf(entry, yield* EdgeSettings), (piece) =>
    Effect.map(apply(piece.kind, piece.place, piece.content), (made) => ({ ...piece, made }))
  )
})

/** The route as the cluster has stored it. */
export const routeAmong = (made: Effect.Success<ReturnType<typeof program>>): KubernetesObject | undefined =>
  made.find((_) => _.object === "HTTPRoute")?.made

/** Removes the objects of an exposure, the route first, so the edge stops serving it even if a later step fails. */
export const withdraw = Effect.fn("edge.withdraw")(function* (entry: ExposureEntry) {
  const { remove } = yield* Kubernetes
  yield* Effect.forEach(piecesOf(entry, yield* EdgeSettings).toReversed(), ({ kind, place }) => remove(kind, place), {
    discard: true
  })
})

/**
 * Removes an exposure: first its objects, then its row. The row reserves the domain until no route
 * has it any more. Repeatable, and the job repeats it.
 */
export const removeWhole = Effect.fnUntraced(function* (entry: ExposureEntry) {
  const exposures = yield* Exposures
  yield* exposures.markRemoving(entry.exposure_id, "deletion", Duration.zero)
  yield* withdraw(entry)
  yield* exposures.drop(entry.exposure_id)
})

/** An `ExternalName` Service is an alias, and would route the edge to wherever its name resolves. */
const isAlias = (service: KubernetesObject | undefined): boolean =>
  Predicate.isObject(service?.["spec"]) && service["spec"]["type"] === "ExternalName"

/**
 * Whether the tenant may expose the target: a floating IP of its own, or a Service in its namespace
 * that is not an alias. A Service that does not exist yet is allowed.
 */
export const isOwnTarget = Effect.fnUntraced(function* (
  target: Pick<ExposureEntry, "project_id" | "service" | "address">
) {
  const { address, project_id, service } = target
  if (address !== null) return (yield* (yield* FloatingIps).ownersOf([address])).get(address) === project_id
  if (service === null) return false
  const { find } = yield* Kubernetes
  return !isAlias(yield* find(edgeKinds.Service, { namespace: tenantNamespace(target.project_id), name: service }))
})

/**
 * Reconciles the cluster with the exposure's row. A target that no longer belongs to the tenant
 * loses its route, and gets it back when it belongs to the tenant again. Runs under the tenant's
 * lease.
 *
 * @param mayProgram false when nothing may be created for the tenant
 * @returns the exposure's current objects
 */
export const reconcileExposure = Effect.fn("edge.reconcileExposure")(function* (
  exposureId: string,
  options: { readonly owned?: boolean; readonly mayProgram?: boolean } = {}
) {
  const exposures = yield* Exposures
  const entry = yield* exposures.find(exposureId)
  if (entry === undefined) return []
  if (entry.removing !== null) {
    yield* withdraw(entry)
    yield* exposures.drop(exposureId)
    return []
  }
  const owned = options.owned ?? (yield* isOwnTarget(entry))
  if (!owned) {
    if (!entry.lost) yield* exposures.setLost(exposureId, true)
    yield* withdraw(entry)
    return []
  }
  if (options.mayProgram === false) return []
  const made = yield* program(entry)
  // Cleared last: a target that is not `lost` has its route.
  if (entry.lost) yield* exposures.setLost(exposureId, false)
  return made
})
