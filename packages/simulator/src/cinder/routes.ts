import { json, type Routes } from "../Wire.ts"
import { actionRoutes } from "./actions.ts"
import { volumeRoute } from "./asked.ts"
import { backupRoutes } from "./backups.ts"
import { quotaRoutes } from "./quotas.ts"
import { snapshotRoutes } from "./snapshots.ts"
import { transferRoutes } from "./transfers.ts"
import { volumesRoutes } from "./volumes.ts"

const table: Routes = {
  ...volumesRoutes,
  ...actionRoutes,
  ...snapshotRoutes,
  ...backupRoutes,
  ...transferRoutes,
  ...quotaRoutes,
  "GET /v3/:project/types": volumeRoute(({ world }) =>
    json(200, {
      volume_types: Object.values(world.cinder.types).map((_) => ({ ..._, is_public: true, extra_specs: {} }))
    })
  )
}

/** The project in the path may be left out, as it may since 3.67. */
export const cinderRoutes: Routes = {
  ...Object.fromEntries(
    Object.entries(table).map(([route, handler]) => [route.replace("/v3/:project/", "/v3/"), handler])
  ),
  ...table
}
