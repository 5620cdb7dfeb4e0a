import type { Routes } from "../Wire.ts"
import { actionRoutes } from "./actions.ts"
import { attachmentRoutes } from "./attachments.ts"
import { flavorRoutes } from "./flavors.ts"
import { keypairRoutes } from "./keypairs.ts"
import { quotaRoutes } from "./quotas.ts"
import { serverRoutes } from "./servers.ts"

export const novaRoutes: Routes = {
  ...serverRoutes,
  ...actionRoutes,
  ...attachmentRoutes,
  ...flavorRoutes,
  ...keypairRoutes,
  ...quotaRoutes
}
