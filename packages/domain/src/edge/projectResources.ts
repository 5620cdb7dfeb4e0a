import { Exposures } from "@portico/store/Exposures"
import type { Leases } from "@portico/store/Leases"
import { type Kind, resource } from "@portico/upstream/projectResources/Kind"
import type { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { underTenantLease, removeWhole } from "./exposure.ts"
import type { EdgeSettings } from "./EdgeSettings.ts"

/** A project's exposures: their routes are not in the project's own namespace. */
export const exposuresOfProjects = Effect.gen(function* () {
  const { find, list } = yield* Exposures
  const context = yield* Effect.context<EdgeSettings | Exposures | Kubernetes | Leases>()

  const remove = Effect.fnUntraced(function* (projectId: string, id: string) {
    const entry = yield* find(id)
    if (entry !== undefined) yield* underTenantLease(projectId)(removeWhole(entry))
  })

  return {
    service: "edge",
    name: "exposures",
    list: (projectId) =>
      Effect.map(list(projectId), (found) => found.map(({ exposure_id, name }) => resource(exposure_id, name))),
    remove: (projectId, id) =>
      remove(projectId, id).pipe(
        Effect.catchTag(
          "Conflict",
          () =>
            new UpstreamError({
              upstream: "portico",
              call: "remove exposures",
              status: 409,
              detail: "another change of the tenant's exposures is under way"
            })
        ),
        Effect.provideContext(context)
      )
  } satisfies Kind
})
