import type { Routes } from "../Wire.ts"

export const neutronRoutes: Routes = {}
