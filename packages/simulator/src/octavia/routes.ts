import type { Routes } from "../Wire.ts"

export const octaviaRoutes: Routes = {}
