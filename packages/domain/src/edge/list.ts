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
 * The exposures of a tenant, oldest first, including those being removed. One call reads their
 * routes.
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
 * An exposure of the tenant.
 *
 * Errors: 404 alike for another tenant's exposure, an unknown one and a malformed id.
 */
export const ownExposure = Effect.fnUntraced(function* (projectId: string, id: string) {
  const entry = yield* (yield* Exposures).find(id)
  return entry === undefined || entry.project_id !== projectId ? yield* NotFound.exposure(id) : entry
})

/** Errors: 404 as for {@link ownExposure}, 502. */
export const showExposure = Effect.fn("edge.show")(function* (projectId: string, id: string) {
  return yield* shown(yield* ownExposure(projectId, id))
})

/** The exposure with its current route in the cluster. Errors: 502. */
export const shown = Effect.fnUntraced(function* (entry: ExposureEntry) {
  const settings = yield* EdgeSettings
  const place = { namespace: settings.gateway.namespace, name: entry.exposure_id }
  const { find } = yield* Kubernetes
  const route = yield* Effect.catchTag(find(edgeKinds.HTTPRoute, place), "UpstreamError", badGateway)
  return exposureOf(entry, route, settings)
})
