import type { Routes } from "../Wire.ts"

export const novaRoutes: Routes = {}
