import type { Routes } from "../Wire.ts"

export const zitadelRoutes: Routes = {}
