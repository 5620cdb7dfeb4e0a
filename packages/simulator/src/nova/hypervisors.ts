import { json, type Routes } from "../Wire.ts"
import { adminRoute, type Request } from "./request.ts"
import { notFound } from "./fault.ts"

/** Memory that each hypervisor reserves for itself. */
const reserved = 512

/** Counts the flavor's disk, even if the image is smaller. */
const used = ({ world }: Request) => {
  const servers = Object.values(world.nova.servers).filter((_) => _.vm_state !== "shelved_offloaded")
  const of = (amount: "vcpus" | "ram" | "disk") =>
    servers.reduce((sum, _) => sum + (world.nova.flavors[_.flavor_id]?.[amount] ?? 0), 0)
  return { vcpus: of("vcpus"), ram: of("ram"), disk: of("disk"), running: servers.length }
}

const statistics = (request: Request) => {
  const nodes = Object.values(request.world.monitoring.nodes)
  const of = (amount: "vcpus" | "memory_mb" | "disk_gb") => nodes.reduce((sum, _) => sum + _[amount], 0)
  const { disk, ram, running, vcpus } = used(request)
  const memory_mb_used = nodes.length * reserved + ram
  return {
    count: nodes.length,
    vcpus: of("vcpus"),
    memory_mb: of("memory_mb"),
    local_gb: of("disk_gb"),
    vcpus_used: vcpus,
    memory_mb_used,
    local_gb_used: disk,
    free_ram_mb: of("memory_mb") - memory_mb_used,
    free_disk_gb: of("disk_gb") - disk,
    current_workload: 0,
    running_vms: running,
    disk_available_least: 0
  }
}

/** Up to microversion 2.87. */
const last = 87

export const hypervisorRoutes: Routes = {
  "GET /v2.1/os-hypervisors": adminRoute("os-hypervisors:list", ({ minor, world }) =>
    json(200, {
      hypervisors: Object.values(world.monitoring.nodes).map(({ name, up }, index) => ({
        id: minor < 53 ? index + 1 : `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`,
        hypervisor_hostname: name,
        state: up ? "up" : "down",
        status: "enabled"
      }))
    })
  ),
  "GET /v2.1/os-hypervisors/statistics": adminRoute("os-hypervisors:statistics", (request) =>
    request.minor > last
      ? notFound("The resource could not be found.")
      : json(200, { hypervisor_statistics: statistics(request) })
  )
}
