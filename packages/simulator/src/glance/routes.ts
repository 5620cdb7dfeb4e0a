import type { Routes } from "../Wire.ts"
import { dataRoutes } from "./data.ts"
import { imagesRoutes } from "./images.ts"
import { importRoutes } from "./imports.ts"
import { memberRoutes } from "./members.ts"
import { patchRoutes } from "./patch.ts"
import { schemaRoutes } from "./schemas.ts"

export const glanceRoutes: Routes = {
  ...imagesRoutes,
  ...patchRoutes,
  ...dataRoutes,
  ...importRoutes,
  ...memberRoutes,
  ...schemaRoutes
}
