import { notFound } from "../nova/fault.ts"
import { empty, json, type Routes } from "../Wire.ts"
import { actionRoutes } from "./actions.ts"
import { adminRoute, ofVolume, volumeRoute } from "./request.ts"
import { attachmentRoutes } from "./attachments.ts"
import { backupRoutes } from "./backups.ts"
import { extensionRoutes } from "./extensions.ts"
import { metadataRoutes } from "./metadata.ts"
import { quotaRoutes } from "./quotas.ts"
import { snapshotRoutes } from "./snapshots.ts"
import { summaryRoutes } from "./summary.ts"
import { transferRoutes } from "./transfers.ts"
import { volumesRoutes } from "./volumes.ts"

const table: Routes = {
  ...volumesRoutes,
  ...summaryRoutes,
  ...extensionRoutes,
  ...actionRoutes,
  ...snapshotRoutes,
  ...backupRoutes,
  ...transferRoutes,
  ...attachmentRoutes,
  ...quotaRoutes,
  ...metadataRoutes,
  "GET /v3/:project/volumes/:id/encryption": volumeRoute(ofVolume(() => json(200, { encryption_key_id: null }))),
  "GET /v3/:project/types/:id": volumeRoute(({ params, world }) => {
    const type = Object.values(world.cinder.types).find((_) => _.id === params["id"])
    return type === undefined
      ? notFound(`Volume type ${params["id"]} could not be found.`)
      : json(200, { volume_type: { ...type, is_public: true, extra_specs: {} } })
  }),
  "GET /v3/:project/os-availability-zone": volumeRoute(() =>
    json(200, { availabilityZoneInfo: [{ zoneName: "nova", zoneState: { available: true } }] })
  ),
  // Administrators' resources; the simulator has none of them.
  "POST /v3/:project/types": adminRoute("volume_extension:type_create", () => empty(501)),
  "GET /v3/:project/os-services": adminRoute("volume_extension:services:index", () => json(200, { services: [] })),
  "GET /v3/:project/types": volumeRoute(({ world }) =>
    json(200, {
      volume_types: Object.values(world.cinder.types).map((_) => ({ ..._, is_public: true, extra_specs: {} }))
    })
  )
}

/** The project in the path is optional since microversion 3.67. */
export const cinderRoutes: Routes = {
  ...Object.fromEntries(
    Object.entries(table).map(([route, handler]) => [route.replace("/v3/:project/", "/v3/"), handler])
  ),
  ...table
}
