import { json, type Routes } from "../Wire.ts"
import { actionRoutes } from "./actions.ts"
import { adminRoute, computeRoute } from "./request.ts"
import { attachmentRoutes } from "./attachments.ts"
import { detailRoutes } from "./details.ts"
import { extensionRoutes } from "./extensions.ts"
import { flavorRoutes } from "./flavors.ts"
import { floatingIpRoutes } from "./floatingIps.ts"
import { serverGroupRoutes } from "./groups.ts"
import { historyRoutes } from "./history.ts"
import { hypervisorRoutes } from "./hypervisors.ts"
import { imageMetadataRoutes } from "./imageMetadata.ts"
import { interfaceRoutes } from "./interfaces.ts"
import { keypairRoutes } from "./keypairs.ts"
import { metadataRoutes } from "./metadata.ts"
import { proxyRoutes } from "./proxies.ts"
import { quotaRoutes } from "./quotas.ts"
import { securityGroupRoutes } from "./securityGroups.ts"
import { securityRuleRoutes } from "./securityGroupRules.ts"
import { serverRoutes } from "./servers.ts"
import { snapshotRoutes } from "./snapshots.ts"
import { tagRoutes } from "./tags.ts"

/** An old alias of `servers`, with all of its actions. */
const volumesBoot = (routes: Routes): Routes =>
  Object.fromEntries(
    Object.entries(routes)
      .filter(([route]) => /^\w+ \/v2\.1\/servers(?:\/detail|\/:id|\/:id\/action)?$/.test(route))
      .map(([route, handler]) => [route.replace("/v2.1/servers", "/v2.1/os-volumes_boot"), handler])
  )

/** The one zone of a stock cloud. */
const zone = { zoneName: "nova", zoneState: { available: true }, hosts: null }

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
  ...snapshotRoutes,
  ...imageMetadataRoutes,
  ...extensionRoutes,
  ...quotaRoutes,
  ...metadataRoutes,
  ...tagRoutes,
  ...detailRoutes,
  ...hypervisorRoutes,
  // Which hosts are in a zone is visible to administrators only.
  "GET /v2.1/os-availability-zone": computeRoute(() => json(200, { availabilityZoneInfo: [zone] })),
  "GET /v2.1/os-availability-zone/detail": adminRoute("os-availability-zone:detail", () =>
    json(200, { availabilityZoneInfo: [{ ...zone, hosts: {} }] })
  ),
  // Administrators' resources, which the simulator does not have.
  "GET /v2.1/os-services": adminRoute("os-services:list", () => json(200, { services: [] }))
}

/** Every path may begin with the project's id, as in old clouds. */
export const novaRoutes: Routes = {
  ...table,
  ...Object.fromEntries(
    Object.entries(table).map(([route, handler]) => [route.replace("/v2.1/", "/v2.1/:project/"), handler])
  )
}
