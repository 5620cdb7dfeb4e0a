import type { Routes } from "../Wire.ts"

export const glanceRoutes: Routes = {}
