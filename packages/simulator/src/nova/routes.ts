import { json, type Routes } from "../Wire.ts"
import { actionRoutes } from "./actions.ts"
import { adminRoute } from "./asked.ts"
import { attachmentRoutes } from "./attachments.ts"
import { detailRoutes } from "./details.ts"
import { flavorRoutes } from "./flavors.ts"
import { floatingIpRoutes } from "./floatingips.ts"
import { serverGroupRoutes } from "./groups.ts"
import { historyRoutes } from "./history.ts"
import { hypervisorRoutes } from "./hypervisors.ts"
import { interfaceRoutes } from "./interfaces.ts"
import { keypairRoutes } from "./keypairs.ts"
import { metadataRoutes } from "./metadata.ts"
import { proxyRoutes } from "./proxies.ts"
import { quotaRoutes } from "./quotas.ts"
import { securityGroupRoutes } from "./securitygroups.ts"
import { securityRuleRoutes } from "./securityrules.ts"
import { serverRoutes } from "./servers.ts"
import { tagRoutes } from "./tags.ts"

/** An old name of the servers, with everything that they can do. */
const volumesBoot = (routes: Routes): Routes =>
  Object.fromEntries(
    Object.entries(routes)
      .filter(([route]) => /^\w+ \/v2\.1\/servers(?:\/detail|\/:id|\/:id\/action)?$/.test(route))
      .map(([route, handler]) => [route.replace("/v2.1/servers", "/v2.1/os-volumes_boot"), handler])
  )

const table: Routes = {
  ...serverRoutes,
  ...actionRoutes,
  ...volumesBoot({ ...serverRoutes, ...actionRoutes }),
  ...attachmentRoutes,
  ...interfaceRoutes,
  ...historyRoutes,
  ...flavorRoutes,
  ...keypairRoutes,
  ...serverGroupRoutes,
  ...securityGroupRoutes,
  ...securityRuleRoutes,
  ...floatingIpRoutes,
  ...proxyRoutes,
  ...quotaRoutes,
  ...metadataRoutes,
  ...tagRoutes,
  ...detailRoutes,
  ...hypervisorRoutes,
  // What is below is the operator's; in this world there is nothing to tell of it.
  "GET /v2.1/os-services": adminRoute("os-services:list", () => json(200, { services: [] }))
}

/** Every path may have the project in front, as it had in the oldest clouds. */
export const novaRoutes: Routes = {
  ...table,
  ...Object.fromEntries(
    Object.entries(table).map(([route, handler]) => [route.replace("/v2.1/", "/v2.1/:project/"), handler])
  )
}
