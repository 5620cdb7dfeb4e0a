import type { Routes } from "../Wire.ts"

export const cinderRoutes: Routes = {}
