import type { Routes } from "../Wire.ts"
import { catalogRoutes } from "./catalog.ts"
import { projectRoutes } from "./projects.ts"
import { regionRoutes } from "./regions.ts"
import { tokenRoutes } from "./tokens.ts"
import { userRoutes } from "./users.ts"

export const keystoneRoutes: Routes = {
  ...tokenRoutes,
  ...catalogRoutes,
  ...projectRoutes,
  ...regionRoutes,
  ...userRoutes
}
