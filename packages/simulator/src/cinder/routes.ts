import { json, type Routes } from "../Wire.ts"
import { actionRoutes } from "./actions.ts"
import { volumeRoute } from "./asked.ts"
import { quotaRoutes } from "./quotas.ts"
import { snapshotRoutes } from "./snapshots.ts"
import { volumesRoutes } from "./volumes.ts"

export const cinderRoutes: Routes = {
  ...volumesRoutes,
  ...actionRoutes,
  ...snapshotRoutes,
  ...quotaRoutes,
  "GET /v3/:project/types": volumeRoute(({ world }) =>
    json(200, {
      volume_types: Object.values(world.cinder.types).map((_) => ({ ..._, is_public: true, extra_specs: {} }))
    })
  )
}
