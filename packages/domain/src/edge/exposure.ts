import { Conflict } from "@portico/contract/Failures"
import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { FloatingIps } from "@portico/upstream/neutron/FloatingIps"
import { Duration, Effect, Predicate } from "effect"
import { exclusively } from "../exclusively.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { edgeKinds, namespaceOf, piecesOf } from "./objects.ts"

/** 409, when another change takes long. */
export const busy = () => Conflict.concurrentChange("the exposures of the tenant")

/** One change of a tenant's exposures at a time: what draws on their ceiling, and what writes their objects. */
export const alone = (projectId: string, waiting?: Duration.Duration) => exclusively(`edge/${projectId}`, busy, waiting)

/** Makes the objects of an exposure, or makes them what they have to be; in the order in which they need each other. */
export const program = Effect.fn("edge.program")(function* (entry: ExposureEntry) {
  const { apply } = yield* Kubernetes
  return yield* Effect.forEach(piecesOf(entry, yield* EdgeSettings), (piece) =>
    Effect.map(apply(piece.kind, piece.place, piece.content), (made) => ({ ...piece, made }))
  )
})

/** The route as the cluster has stored it. */
export const routeAmong = (made: Effect.Success<ReturnType<typeof program>>): KubernetesObject | undefined =>
  made.find((_) => _.object === "HTTPRoute")?.made

/** Removes the objects of an exposure, the route first, so that nothing is served any more whatever fails behind it. */
export const withdraw = Effect.fn("edge.withdraw")(function* (entry: ExposureEntry) {
  const { remove } = yield* Kubernetes
  yield* Effect.forEach(piecesOf(entry, yield* EdgeSettings).toReversed(), ({ kind, place }) => remove(kind, place), {
    discard: true
  })
})

/**
 * Removes an exposure for good: its objects, and then its row, which is what
 * keeps its domain from others until no route has it any more. Repeatable, and
 * the job repeats it.
 */
export const removeWhole = Effect.fnUntraced(function* (entry: ExposureEntry) {
  const exposures = yield* Exposures
  yield* exposures.markRemoving(entry.exposure_id, "deletion", Duration.zero)
  yield* withdraw(entry)
  yield* exposures.drop(entry.exposure_id)
})

/** A Service that stands for a name, and would lead the edge to wherever that name leads. */
const isAlias = (service: KubernetesObject | undefined): boolean =>
  Predicate.isObject(service?.["spec"]) && service["spec"]["type"] === "ExternalName"

/**
 * Whether the target is one that the tenant may have exposed: a floating IP of
 * its own, or a Service of its namespace that does not lead elsewhere. One
 * that is not there yet may be.
 */
export const isOwnTarget = Effect.fnUntraced(function* (
  target: Pick<ExposureEntry, "project_id" | "service" | "address">
) {
  const { address, project_id, service } = target
  if (address !== null) return (yield* (yield* FloatingIps).ownersOf([address])).get(address) === project_id
  if (service === null) return false
  const { find } = yield* Kubernetes
  return !isAlias(yield* find(edgeKinds.Service, { namespace: namespaceOf(target), name: service }))
})

/**
 * Makes the cluster what the exposure's row says, whoever asks: a target that
 * is the tenant's no more has no route, and one that is again has one again.
 * Under the tenant's lease.
 *
 * @param mayProgram false when nothing of the tenant may be made
 * @returns the objects that it has now, none when it has none
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
  // Only now: a target that is said to be there has its route.
  if (entry.lost) yield* exposures.setLost(exposureId, false)
  return made
})
