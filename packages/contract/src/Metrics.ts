import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ActsOn } from "./Access.ts"
import { described, meanings, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { PointInTime } from "./PointInTime.ts"

export const InstanceMetric = meanings("A metric of a server.", {
  cpu: "The use of all its virtual processors together, in percent.",
  memory: "The use of its memory, in percent.",
  disk_read: "Reads from all its disks, in bytes per second.",
  disk_write: "Writes to all its disks, in bytes per second.",
  network_in: "Traffic received on all its ports, in bytes per second.",
  network_out: "Traffic sent on all its ports, in bytes per second."
})
export type InstanceMetric = typeof InstanceMetric.Type

export const MetricUnit = meanings("The unit of the values.", {
  percent: "Percent of the server's capacity.",
  bytes_per_second: "Bytes per second."
})
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
  instance_id: Schema.String.annotateKey({ description: "The server, by the compute service's id." }),
  metric: InstanceMetric,
  unit: MetricUnit,
  from: Schema.String.annotateKey({
    description: "The time of the first point, a multiple of the step. RFC 3339, UTC."
  }),
  to: Schema.String.annotateKey({ description: "The time of the last point, a multiple of the step. RFC 3339, UTC." }),
  step_seconds: Schema.Int.annotateKey({
    description:
      "The seconds between two points: the requested step, or more where there would be more than 1000 points."
  }),
  points: Schema.Array(
    Schema.Struct({
      at: Schema.String.annotateKey({ description: "The end of the step. RFC 3339, UTC." }),
      value: Schema.NullOr(Schema.Finite).annotateKey({
        description: "The mean of the step that ends here, in `unit`. Null where nothing was measured."
      })
    })
  ).annotateKey({ description: "One point for each step, oldest first, at most 1000." })
}).annotate({ identifier: "MetricHistory", description: "The measurements of one server over a span of time." })
export type MetricHistory = typeof MetricHistory.Type

export class Metrics extends HttpApiGroup.make("metrics")
  .add(
    HttpApiEndpoint.get("history", "/metrics/instances/:id/history", {
      params: {
        id: Schema.String.annotateKey({ description: "The server, by the compute service's id, a UUID." })
      },
      query: {
        metric: Schema.optionalKey(InstanceMetric).annotateKey({ description: "Default `cpu`." }),
        from: Schema.optionalKey(PointInTime).annotateKey({
          description:
            "The beginning of the span, before `to` and at most 366 days before it. Default: an hour before `to`."
        }),
        to: Schema.optionalKey(PointInTime).annotateKey({
          description: "The end of the span, at most a day ahead. Default: now."
        }),
        step: Schema.optionalKey(Step).annotateKey({
          description: `The seconds between two points, a whole number from ${metricSteps.least} to ${metricSteps.most}. Default 60.`
        })
      },
      success: MetricHistory,
      error: failures("instance_not_found", "metric_span_refused", "service_not_found", "upstream_failed")
    }).annotateMerge(
      described(
        "Show the history of a server's metric",
        "Returns the platform's measurements of one of the tenant's servers over a span of time, one point for " +
          "each step. Where the span and the step would make more than 1000 points, the step grows. A span that " +
          "ends before it begins, is longer than 366 days or lies too far ahead is a 422 (`metric_span_refused`). " +
          "The platform keeps measurements for a limited time; older points are null. When its monitoring cannot " +
          "be read the response is a 502, and on a cloud without monitoring a 404 (`service_not_found`)."
      )
    )
  )
  .annotateEndpoints(ActsOn, ["compute"])
  .annotateMerge(
    titled(
      "Metrics",
      "Measurements of a tenant's servers. The platform measures processors, memory, disks and network. To learn " +
        "that a value passes a threshold, make an alarm."
    )
  )
  .pipe(tenantRoutes) {}
