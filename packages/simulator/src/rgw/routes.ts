import type { Routes } from "../Wire.ts"

export const rgwRoutes: Routes = {}
