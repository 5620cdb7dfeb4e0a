import type { EdgeResync, ExposureResynced } from "@portico/contract/Edge"
import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { FloatingIps } from "@portico/upstream/neutron/FloatingIps"
import { Effect, Record, Struct } from "effect"
import { isDeepStrictEqual } from "node:util"
import { badGateway } from "../badGateway.ts"
import { tenantNamespace, tenantSelector } from "../kubernetes/ownership.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { underTenantLease, reconcileExposure } from "./exposure.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { edgeKinds, type Piece, piecesOf } from "./objects.ts"

/**
 * Reconciles the cluster with the tenant's exposures and reports the changes. Repeatable: a second
 * run changes nothing. Targets that no longer belong to the tenant lose their routes, and pending
 * removals are completed.
 *
 * Errors: 409 while another change is under way; 502, and the changes made until then stay.
 */
export const resyncExposures = Effect.fn("edge.resync")(function* (projectId: string) {
  const resync = Effect.gen(function* () {
    const entries = yield* (yield* Exposures).list(projectId)
    if (entries.length === 0) return { count: 0, changed: 0, exposures: [] } satisfies EdgeResync
    const before = yield* objectsOf(projectId, entries)
    const owners = yield* (yield* FloatingIps).ownersOf(entries.flatMap((_) => _.address ?? []))
    const exposures = yield* Effect.forEach(entries, (entry) => resynced(entry, before, owners))
    return {
      count: exposures.length,
      changed: exposures.filter((_) => _.changes.length > 0).length,
      exposures
    } satisfies EdgeResync
  })
  return yield* (yield* RunToCompletion).run(
    underTenantLease(projectId)(Effect.catchTag(resync, "UpstreamError", badGateway))
  )
})

type Objects = Readonly<Record<Piece["object"], ReadonlyArray<KubernetesObject>>>

/** All objects of the tenant's exposures, in one call for each kind. */
const objectsOf = Effect.fnUntraced(function* (projectId: string, entries: ReadonlyArray<ExposureEntry>) {
  const { list } = yield* Kubernetes
  const { namespace } = (yield* EdgeSettings).gateway
  const [first] = entries
  const grants = first === undefined ? namespace : tenantNamespace(first.project_id)
  const labelSelector = tenantSelector(projectId)
  const found: Objects = yield* Effect.all(
    Record.map(edgeKinds, (kind, object) =>
      list(kind, { namespace: object === "ReferenceGrant" ? grants : namespace, labelSelector })
    ),
    { concurrency: "unbounded" }
  )
  return found
})

const resynced = Effect.fnUntraced(function* (
  entry: ExposureEntry,
  before: Objects,
  owners: ReadonlyMap<string, string>
) {
  const { address, exposure_id, name } = entry
  const owned = address === null ? {} : { owned: owners.get(address) === entry.project_id }
  const made = yield* reconcileExposure(exposure_id, owned)
  const changes = piecesOf(entry, yield* EdgeSettings).flatMap(({ object }): ExposureResynced["changes"] => {
    const then = before[object].find((_) => _.metadata.name === exposure_id)
    const now = made.find((_) => _.object === object)?.made
    if (then === undefined) return now === undefined ? [] : [{ object, change: "made" }]
    if (now === undefined) return [{ object, change: "removed" }]
    return isDeepStrictEqual(contentOf(then), contentOf(now)) ? [] : [{ object, change: "mended" }]
  })
  return { exposure_id, name, changes } satisfies ExposureResynced
})

/**
 * The part of an object that the gateway writes. It excludes what controllers write at any time,
 * and the kind, which objects in a list lack.
 */
const contentOf = ({ metadata, ...content }: KubernetesObject) => ({
  ...Struct.omit(content, ["apiVersion", "kind", "status"]),
  labels: metadata["labels"]
})
