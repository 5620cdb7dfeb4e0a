import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ActsOn, Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { PointInTime } from "./PointInTime.ts"

/** The metrics of an instance: percent of its capacity, or bytes per second over all its disks or ports. */
export const InstanceMetric = Schema.Literals(["cpu", "memory", "disk_read", "disk_write", "network_in", "network_out"])
export type InstanceMetric = typeof InstanceMetric.Type

export const MetricUnit = Schema.Literals(["percent", "bytes_per_second"])
export type MetricUnit = typeof MetricUnit.Type

/** The unit of each metric. */
export const metricUnits: Readonly<Record<InstanceMetric, MetricUnit>> = {
  cpu: "percent",
  memory: "percent",
  disk_read: "bytes_per_second",
  disk_write: "bytes_per_second",
  network_in: "bytes_per_second",
  network_out: "bytes_per_second"
}

/** The least and the most seconds between two points. */
export const metricSteps = { least: 15, most: 86_400 } as const

const Step = Schema.NumberFromString.check(
  Schema.isInt({ expected: "a whole number" }),
  Schema.isBetween({ minimum: metricSteps.least, maximum: metricSteps.most })
)

export const MetricHistory = Schema.Struct({
  instance_id: Schema.String,
  metric: InstanceMetric,
  unit: MetricUnit,
  /** The times of the first and the last point. */
  from: Schema.String,
  to: Schema.String,
  /** At least the requested step, and more where there would be too many points. */
  step_seconds: Schema.Int,
  /** One point per step, each the mean of the step before it; null where nothing was measured. */
  points: Schema.Array(Schema.Struct({ at: Schema.String, value: Schema.NullOr(Schema.Finite) }))
}).annotate({ identifier: "MetricHistory" })
export type MetricHistory = typeof MetricHistory.Type

/** Both planes. */
export class Metrics extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("history", "/metrics/instances/:id/history", {
      params: { id: Schema.String },
      query: {
        /** Default `cpu`. */
        metric: Schema.optionalKey(InstanceMetric),
        /** Default: an hour before `to`. */
        from: Schema.optionalKey(PointInTime),
        /** Default: now. */
        to: Schema.optionalKey(PointInTime),
        step: Schema.optionalKey(Step)
      },
      success: MetricHistory,
      error: failures("instance_not_found", "metric_span_refused", "service_not_found", "upstream_failed")
    })
  )
  .annotateEndpoints(ActsOn, "compute")
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
