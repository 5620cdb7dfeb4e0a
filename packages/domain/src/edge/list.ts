import type { ExposureList } from "@portico/contract/Edge"
import { NotFound } from "@portico/contract/Failures"
import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { tenantSelector } from "../kubernetes/ownership.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { edgeKinds } from "./objects.ts"
import { exposureOf } from "./view.ts"

/**
 * The exposures of a tenant, oldest first, with those that are being removed.
 * Their routes are read in one call.
 *
 * Errors: 502.
 */
export const listExposures = Effect.fn("edge.list")(function* (projectId: string) {
  const entries = yield* (yield* Exposures).list(projectId)
  const settings = yield* EdgeSettings
  const { list } = yield* Kubernetes
  const { namespace } = settings.gateway
  const routes =
    entries.length === 0
      ? []
      : yield* Effect.catchTag(
          list(edgeKinds.HTTPRoute, { namespace, labelSelector: tenantSelector(projectId) }),
          "UpstreamError",
          badGateway
        )
  const exposures = entries.map((entry) =>
    exposureOf(
      entry,
      routes.find((_) => _.metadata.name === entry.exposure_id),
      settings
    )
  )
  return { count: exposures.length, exposures } satisfies ExposureList
})

/**
 * One of the tenant's own.
 *
 * Errors: the same 404 for another tenant's, nobody's and no id at all.
 */
export const ownExposure = Effect.fnUntraced(function* (projectId: string, id: string) {
  const entry = yield* (yield* Exposures).find(id)
  return entry === undefined || entry.project_id !== projectId ? yield* NotFound.exposure(id) : entry
})

/** Errors: 404 as of {@link ownExposure}, 502. */
export const showExposure = Effect.fn("edge.show")(function* (projectId: string, id: string) {
  return yield* shown(yield* ownExposure(projectId, id))
})

/** With its route as the cluster has it now. Errors: 502. */
export const shown = Effect.fnUntraced(function* (entry: ExposureEntry) {
  const settings = yield* EdgeSettings
  const place = { namespace: settings.gateway.namespace, name: entry.exposure_id }
  const { find } = yield* Kubernetes
  const route = yield* Effect.catchTag(find(edgeKinds.HTTPRoute, place), "UpstreamError", badGateway)
  return exposureOf(entry, route, settings)
})
