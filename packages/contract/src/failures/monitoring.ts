import type { Resource } from "./Resource.ts"

/** Failures of metrics, alarms and incidents. */
export const monitoring = {
  NotFound: {
    instance: {
      code: "instance_not_found",
      detail: (id: string) => `Instance '${id}' not found`,
      example: ["i-1"],
      cause: "No instance of the caller's tenant has this id.",
      fix: "List them under GET /v1/iaas/compute/servers."
    },
    alarm: {
      code: "alarm_not_found",
      detail: (id: string) => `Alarm '${id}' not found`,
      example: ["alm-1"],
      cause: "No alarm of the caller's tenant has this id.",
      fix: "List them under GET /v1/alarms."
    },
    incident: {
      code: "incident_not_found",
      detail: (id: string) => `Incident '${id}' not found`,
      example: ["inc-1"],
      cause: "No incident or maintenance has this id; it may have been removed already.",
      fix: "Those that stand are in GET /v1/status."
    }
  },
  Unprocessable: {
    incidentSpan: {
      code: "incident_span_refused",
      detail: "ends_at must be later than starts_at, which is now when it is left out",
      cause: "An incident or maintenance was to end before it begins.",
      fix: "Send an `ends_at` behind `starts_at`, or leave it out."
    },
    metricSpan: {
      code: "metric_span_refused",
      detail: (rule: string) => rule,
      example: ["The end must be later than the beginning"],
      cause:
        "The span of a metrics history ends before it begins, is longer than there are measurements, or lies ahead.",
      fix: "Send `from` and `to` as the detail says; `to` alone ends an hour of it."
    }
  }
} as const satisfies Resource
