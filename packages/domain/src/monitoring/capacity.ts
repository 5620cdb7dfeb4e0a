import type { PlatformCapacity } from "@portico/contract/Monitoring"
import { Hypervisors } from "@portico/upstream/nova/Hypervisors"
import { Prometheus } from "@portico/upstream/prometheus/Prometheus"
import { selector } from "@portico/upstream/prometheus/promql"
import { storageSeries } from "@portico/upstream/prometheus/recorded"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { capacity } from "../tenants/admission.ts"

/**
 * The sellable budget, what of it is granted, and the physical platform, each
 * from its own source: one call to Nova, and one query to the monitoring if the
 * cloud has one.
 *
 * Errors: 502 with the upstream's message when one of them cannot be read.
 */
export const showCapacity = Effect.fn("monitoring.capacity")(function* () {
  const { hypervisors, sellable, storage } = yield* Effect.all(
    {
      sellable: capacity(),
      hypervisors: Effect.mapError((yield* Hypervisors).statistics, badGateway),
      storage: storageBytes
    },
    { concurrency: "unbounded" }
  )
  return {
    generated_at: DateTime.formatIso(yield* DateTime.now),
    sellable,
    physical: {
      hypervisors: hypervisors.count,
      vcpus: { total: hypervisors.vcpus, used: hypervisors.vcpus_used },
      memory_mib: { total: hypervisors.memory_mb, used: hypervisors.memory_mb_used },
      disk_gib: { total: hypervisors.local_gb, used: hypervisors.local_gb_used },
      running_instances: hypervisors.running_vms,
      storage_bytes: storage
    }
  } satisfies PlatformCapacity
})

/** Null on a cloud without monitoring, or whose monitoring has no storage cluster. */
const storageBytes = Effect.gen(function* () {
  const { api } = yield* Prometheus
  if (api === undefined) return null
  const samples = yield* Effect.mapError(
    api.query("read storage", `sum by (__name__) (${selector(Object.values(storageSeries))})`),
    badGateway
  )
  const value = (series: string) => samples.find((_) => _.labels["__name__"] === series)?.value ?? undefined
  const [total, used] = [value(storageSeries.total), value(storageSeries.used)]
  return total === undefined || used === undefined ? null : { total: Math.round(total), used: Math.round(used) }
})
