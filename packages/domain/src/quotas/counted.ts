import type { Quotas } from "@portico/contract/Quotas"
import { Exposures } from "@portico/store/Exposures"
import { Designate } from "@portico/upstream/designate/Designate"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { footprints, nothing, plus } from "../databases/ceilings.ts"
import { gibOf } from "../kubernetes/fields.ts"
import { holdingsOf } from "../databases/holdings.ts"
import { namespaceClaims } from "../kubernetes/quotas.ts"
import { databaseNamespace } from "../kubernetes/ownership.ts"
import { ofTier, uncounted, unlessUnavailable } from "./usage.ts"

/** The zones of the project itself. On a cloud without DNS they are not counted. */
export const dnsZones = Effect.fn("quotas.dnsZones")(function* (projectId: string, limit: number) {
  const designate = yield* Designate
  if (!designate.present) return uncounted(limit)
  const zones = yield* unlessUnavailable("designate", designate.as(projectId).zones)
  return ofTier("designate", limit, zones?.filter((_) => _.project_id === projectId).length)
})

/** The exposures that the ceiling of the tier counts: those being removed do not count any more. */
export const edgeExposures = Effect.fn("quotas.edgeExposures")(function* (projectId: string, limit: number) {
  const all = yield* (yield* Exposures).list(projectId)
  return ofTier("gateway", limit, all.filter((_) => _.removing === null).length)
})

/**
 * The storage footprint of the tenant's namespace in whole GiB, and its volume
 * claims, as an admission counts them: whatever client made them, and for each
 * database the larger of what it is to have and what it still has.
 *
 * @param limit in GiB; claims have one limit for all tiers, which is zero for a
 * tenant without storage
 */
export const databases = Effect.fn("quotas.databases")(function* (projectId: string, limit: number) {
  const { present } = yield* Kubernetes
  const namespace = databaseNamespace(projectId)
  const claims = limit === 0 ? 0 : namespaceClaims
  if (!present || namespace === undefined) return { gigabytes: uncounted(limit), claims: uncounted(claims) }
  const holdings = yield* unlessUnavailable("kubernetes", holdingsOf(namespace))
  const used = holdings && [...footprints(holdings).values()].reduce(plus, nothing)
  return {
    gigabytes: ofTier("kubernetes", limit, used && gibOf(used.bytes)),
    claims: ofTier("kubernetes", claims, used?.claims)
  } satisfies Quotas["databases"]
})
