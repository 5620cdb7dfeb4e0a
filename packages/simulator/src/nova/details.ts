import { empty, json, type Routes } from "../Wire.ts"
import { adminRoute, type Request, computeRoute, memberRoute, ofServer } from "./request.ts"
import { notFound, policyRefuses } from "./fault.ts"
import type { Server } from "./state.ts"
import { addressesOf, plainAddresses } from "./view.ts"

const short = (request: Request, server: Server) => plainAddresses(addressesOf(request, server))

/** Usage of the period; the simulator meters none. */
const usageOf = (tenant_id: string, servers: ReadonlyArray<Server>) => ({
  tenant_usage: {
    tenant_id,
    server_usages: servers.map(({ id, name, vm_state }) => ({
      instance_id: id,
      name,
      tenant_id,
      state: vm_state,
      ended_at: null
    })),
    total_hours: 0,
    total_vcpus_usage: 0,
    total_memory_mb_usage: 0,
    total_local_gb_usage: 0
  }
})

/** Read-only details of servers, and the usage of projects. */
export const detailRoutes: Routes = {
  "GET /v2.1/servers/:id/ips": computeRoute(
    ofServer((request, server) => json(200, { addresses: short(request, server) }))
  ),
  "GET /v2.1/servers/:id/ips/:network": computeRoute(
    ofServer((request, server) => {
      const name = request.params["network"] ?? ""
      const group = short(request, server)[name]
      return group === undefined
        ? notFound("Instance is not a member of specified network")
        : json(200, { [name]: group })
    })
  ),
  "GET /v2.1/servers/:id/os-server-password": computeRoute(ofServer(() => json(200, { password: "" }))),
  "DELETE /v2.1/servers/:id/os-server-password": memberRoute(
    "os-server-password:clear",
    ofServer(() => empty(204))
  ),
  "GET /v2.1/servers/:id/topology": computeRoute(ofServer(() => json(200, { nodes: [], pagesize_kb: null }))),
  "GET /v2.1/os-simple-tenant-usage": adminRoute("os-simple-tenant-usage:list", () => json(200, { tenant_usages: [] })),
  "GET /v2.1/os-simple-tenant-usage/:tenant": computeRoute(({ params, scope, world }) => {
    const tenant = params["tenant"] ?? ""
    return scope.admin || scope.projectId === tenant
      ? json(
          200,
          usageOf(
            tenant,
            Object.values(world.nova.servers).filter((_) => _.project_id === tenant)
          )
        )
      : policyRefuses("os_compute_api:os-simple-tenant-usage:show")
  })
}
