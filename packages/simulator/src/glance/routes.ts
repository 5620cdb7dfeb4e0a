import type { Routes } from "../Wire.ts"
import { dataRoutes } from "./data.ts"
import { imagesRoutes } from "./images.ts"
import { memberRoutes } from "./members.ts"
import { patchRoutes } from "./patch.ts"

export const glanceRoutes: Routes = {
  ...imagesRoutes,
  ...patchRoutes,
  ...dataRoutes,
  ...memberRoutes
}
