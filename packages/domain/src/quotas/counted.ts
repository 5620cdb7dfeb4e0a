import type { Quotas } from "@portico/contract/Quotas"
import { Exposures } from "@portico/store/Exposures"
import { Designate } from "@portico/upstream/designate/Designate"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { footprints, nothing, plus } from "../databases/ceilings.ts"
import { gibOf } from "../databases/fields.ts"
import { holdingsOf } from "../databases/holdings.ts"
import { namespaceClaims } from "../kubernetes/quotas.ts"
import { databaseNamespace } from "../kubernetes/ownership.ts"
import { ofTier, told, uncounted } from "./told.ts"

/** The zones of the project itself; on a cloud without DNS nobody counts any. */
export const dnsZones = Effect.fn("quotas.dnsZones")(function* (projectId: string, limit: number) {
  const designate = yield* Designate
  if (!designate.present) return uncounted(limit)
  const zones = yield* told(
    "designate",
    Effect.flatMap(designate.as(projectId), (_) => _.zones)
  )
  return ofTier("designate", limit, zones?.filter((_) => _.project_id === projectId).length)
})

/** What the ceiling of the tier counts: those that are on their way out hold no place any more. */
export const edgeExposures = Effect.fn("quotas.edgeExposures")(function* (projectId: string, limit: number) {
  const all = yield* (yield* Exposures).list(projectId)
  return ofTier("gateway", limit, all.filter((_) => _.removing === null).length)
})

/**
 * The storage footprint of the tenant's namespace in whole GiB, and its volume
 * claims, as an admission counts them: whoever made them, and what a database
 * is to have or still has, whichever is more.
 *
 * @param limit in GiB; claims have one limit for all tiers, and none are to be had without storage
 */
export const databases = Effect.fn("quotas.databases")(function* (projectId: string, limit: number) {
  const { present } = yield* Kubernetes
  const namespace = databaseNamespace(projectId)
  const claims = limit === 0 ? 0 : namespaceClaims
  if (!present || namespace === undefined) return { gigabytes: uncounted(limit), claims: uncounted(claims) }
  const holdings = yield* told("kubernetes", holdingsOf(namespace))
  const used = holdings && [...footprints(holdings).values()].reduce(plus, nothing)
  return {
    gigabytes: ofTier("kubernetes", limit, used && gibOf(used.bytes)),
    claims: ofTier("kubernetes", claims, used?.claims)
  } satisfies Quotas["databases"]
})
