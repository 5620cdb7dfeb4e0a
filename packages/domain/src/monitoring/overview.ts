import type { MonitoringOverview } from "@portico/contract/Monitoring"
import { Alarms } from "@portico/store/Alarms"
import { Tenants } from "@portico/store/Tenants"
import { instanceSeries, nodeSeries } from "@portico/upstream/prometheus/recorded"
import { DateTime, Effect } from "effect"
import { monitoringService } from "../metrics/monitoring.ts"
import { platform } from "../status/show.ts"
import { readInstances, readNodes } from "./readings.ts"
import { alarmCounts, percentOf } from "./samples.ts"

/**
 * The platform in a few numbers. Costs three queries to the monitoring, however
 * large the platform is.
 *
 * Errors: 404 on a cloud without monitoring; 502 when it cannot be read.
 */
export const showOverview = Effect.fn("monitoring.overview")(function* () {
  const monitoring = yield* monitoringService
  const { alarms, instances, nodes, status, tenants } = yield* Effect.all(
    {
      status: platform,
      nodes: readNodes(monitoring),
      instances: readInstances(monitoring),
      tenants: (yield* Tenants).list,
      alarms: (yield* Alarms).counts
    },
    { concurrency: "unbounded" }
  )
  const { counts, means } = instances
  const mean = (series: string) => percentOf(means.get("")?.get(series))
  const average = (series: string) => {
    const values = [...nodes.values()].flatMap((_) => _.get(series) ?? [])
    return values.length === 0 ? null : percentOf(values.reduce((sum, _) => sum + _, 0) / values.length)
  }
  return {
    generated_at: DateTime.formatIso(status.now),
    overall: status.overall,
    services: status.rows,
    incidents: status.incidents.length,
    nodes: {
      total: nodes.size,
      up: [...nodes.values()].filter((_) => _.get(nodeSeries.up) === 1).length,
      cpu_percent: average(nodeSeries.cpu),
      memory_percent: average(nodeSeries.memory)
    },
    instances: {
      measured: counts.get("")?.get(instanceSeries.cpu) ?? 0,
      cpu_percent: mean(instanceSeries.cpu),
      memory_percent: mean(instanceSeries.memory)
    },
    tenants: { total: tenants.length, suspended: tenants.filter((_) => _.suspended).length },
    alarms: alarmCounts(alarms)
  } satisfies MonitoringOverview
})
