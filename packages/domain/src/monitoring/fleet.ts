import type { FleetNode, FleetTenant, MonitoringFleet } from "@portico/contract/Monitoring"
import { Alarms } from "@portico/store/Alarms"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { instanceSeries, nodeSeries } from "@portico/upstream/prometheus/recorded"
import { DateTime, Effect } from "effect"
import { monitoringService } from "../metrics/monitoring.ts"
import { platform } from "../status/show.ts"
import { readNodes, readProjects } from "./readings.ts"
import { alarmCounts, percentOf } from "./samples.ts"

/**
 * Every node and every tenant with its usage. Costs three queries to the
 * monitoring, however many there are. A measured project that is not a tenant,
 * such as the platform's own, has a row too.
 *
 * Errors: 404 on a cloud without monitoring; 502 when it cannot be read.
 */
export const showFleet = Effect.fn("monitoring.fleet")(function* () {
  const monitoring = yield* monitoringService
  const { alarms, nodes, projects, status, tenants } = yield* Effect.all(
    {
      status: platform,
      nodes: readNodes(monitoring),
      projects: readProjects(monitoring),
      tenants: (yield* Tenants).list,
      alarms: (yield* Alarms).counts
    },
    { concurrency: "unbounded" }
  )
  const alarmsOf = Map.groupBy(alarms, (_) => _.project_id)
  const known = new Map(tenants.map((_) => [_.project_id, _]))
  const ids = [...new Set([...known.keys(), ...projects.counts.keys()])]

  const row = (project_id: string, tenant: TenantEntry | undefined): FleetTenant => ({
    project_id,
    name: tenant?.name ?? null,
    tier: tenant?.tier ?? null,
    suspended: tenant?.suspended ?? false,
    instances: projects.counts.get(project_id)?.get(instanceSeries.cpu) ?? 0,
    cpu_percent: percentOf(projects.means.get(project_id)?.get(instanceSeries.cpu)),
    memory_percent: percentOf(projects.means.get(project_id)?.get(instanceSeries.memory)),
    alarms: alarmCounts(alarmsOf.get(project_id) ?? [])
  })
  return {
    generated_at: DateTime.formatIso(status.now),
    services: status.rows,
    nodes: [...nodes]
      .map(([node, values]): FleetNode => ({
        node,
        up: values.get(nodeSeries.up) === 1,
        cpu_percent: percentOf(values.get(nodeSeries.cpu)),
        memory_percent: percentOf(values.get(nodeSeries.memory))
      }))
      .toSorted((a, b) => (a.node < b.node ? -1 : 1)),
    tenants: ids.map((_) => row(_, known.get(_)))
  } satisfies MonitoringFleet
})
