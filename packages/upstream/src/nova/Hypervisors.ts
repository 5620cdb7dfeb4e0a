import { Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled } from "../openstack/openstack.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/** Nova's sums over all hypervisors. Memory in MiB, disks in GiB. */
const Statistics = Schema.Struct({
  count: Schema.Int,
  vcpus: Schema.Int,
  vcpus_used: Schema.Int,
  memory_mb: Schema.Int,
  memory_mb_used: Schema.Int,
  local_gb: Schema.Int,
  local_gb_used: Schema.Int,
  running_vms: Schema.Int
})
export type HypervisorStatistics = typeof Statistics.Type

/**
 * The capacity of the compute service, under the control identity: one call for
 * any number of hypervisors. Nova supports it up to microversion 2.87 and
 * answers 404 above, so the call requests no microversion.
 */
export class Hypervisors extends Context.Service<
  Hypervisors,
  { readonly statistics: Effect.Effect<HypervisorStatistics, UpstreamError> }
>()("portico/upstream/nova/Hypervisors") {
  static readonly layer = Layer.effect(
    Hypervisors,
    Effect.map(controlled("nova", "compute"), (system) =>
      Hypervisors.of({
        statistics: Effect.map(
          system.read(
            "read hypervisors",
            HttpClientRequest.get("/os-hypervisors/statistics"),
            Schema.Struct({ hypervisor_statistics: Statistics })
          ),
          (_) => _.hypervisor_statistics
        )
      })
    )
  )
}
