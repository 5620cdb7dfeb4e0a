import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ActsOn } from "./Access.ts"
import { AlarmState } from "./Autoscaling.ts"
import { described, meanings, titled } from "./describe.ts"
import { ceilingCodes, failures } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { InstanceMetric } from "./Metrics.ts"
import { wholeList } from "./Page.ts"
import { line } from "./Text.ts"

export const AlarmComparison = meanings(
  "How the value of a period is compared with the threshold, for the rule to be met.",
  {
    lt: "It is less.",
    le: "It is less or equal.",
    eq: "It is equal.",
    ne: "It is not equal.",
    ge: "It is greater or equal.",
    gt: "It is greater."
  }
)
export type AlarmComparison = typeof AlarmComparison.Type

export const AlarmSeverity = meanings(
  "How much the alarm matters to the tenant. It is shown with the alarm and in its events, and has no other effect.",
  {
    low: "It is good to know.",
    moderate: "It needs attention soon.",
    critical: "It needs attention at once."
  }
)
export type AlarmSeverity = typeof AlarmSeverity.Type

/** A UUID of the platform, or an id of the gateway. */
const Reference = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))

const rule = {
  metric: InstanceMetric,
  instance_id: Schema.optionalKey(Reference).annotateKey({
    description: "One server of the tenant, by the compute service's id. Absent for a group."
  }),
  group_id: Schema.optionalKey(Reference).annotateKey({
    description: "An autoscaling group of the tenant: the mean of its servers is measured. Absent for one server."
  }),
  comparison: AlarmComparison,
  threshold: Schema.Finite.annotateKey({
    description:
      "The value that the metric of a period is compared with: percent for `cpu` and `memory`, bytes per second " +
      "for the other metrics."
  })
}

const periods = {
  period_seconds: Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 3600 })),
  evaluation_periods: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 24 }))
}

const period = "The length of a period in seconds, 60 to 3600. The value of a period is the mean of its measurements."
const consecutive = "How many consecutive periods, the last one ending now, decide together, 1 to 24."

const oneTarget = Schema.makeFilter(
  (_: { readonly instance_id?: string; readonly group_id?: string }) =>
    (_.instance_id === undefined) !== (_.group_id === undefined),
  { expected: "either instance_id or group_id" }
)

export const AlarmRuleRequest = Schema.Struct({
  ...rule,
  period_seconds: Schema.optionalKey(periods.period_seconds).annotateKey({ description: `${period} Default 60.` }),
  evaluation_periods: Schema.optionalKey(periods.evaluation_periods).annotateKey({
    description: `${consecutive} Default 1.`
  })
})
  .annotate({
    description:
      "The metric that an alarm watches, and its condition: either of one server (`instance_id`) or of a group " +
      "(`group_id`)."
  })
  .check(oneTarget)
  .annotate({ identifier: "AlarmRuleRequest" })
export type AlarmRuleRequest = typeof AlarmRuleRequest.Type

export const AlarmRule = Schema.Struct({
  ...rule,
  period_seconds: periods.period_seconds.annotateKey({ description: period }),
  evaluation_periods: periods.evaluation_periods.annotateKey({ description: consecutive })
}).annotate({ identifier: "AlarmRule", description: "The metric that an alarm watches, and its condition." })
export type AlarmRule = typeof AlarmRule.Type

const Name = line(200)
const Description = line(1000)

const name = "The name, 1 to 200 characters on one line. It need not be unique."
const note = "A note, 1 to 1000 characters on one line."
const enabled = "Whether the alarm is evaluated. A disabled alarm keeps its state and publishes nothing."

export const AlarmCreate = Schema.Struct({
  name: Name.annotateKey({ description: name }),
  description: Schema.optionalKey(Description).annotateKey({ description: `${note} Default: none.` }),
  severity: Schema.optionalKey(AlarmSeverity).annotateKey({ description: "Default `low`." }),
  enabled: Schema.optionalKey(Schema.Boolean).annotateKey({ description: `${enabled} Default true.` }),
  rule: AlarmRuleRequest.annotateKey({ description: "The metric that the alarm watches, and its condition." })
}).annotate({ identifier: "AlarmCreate", description: "A new alarm." })
export type AlarmCreate = typeof AlarmCreate.Type

export const AlarmChange = Schema.Struct({
  name: Schema.optionalKey(Name).annotateKey({ description: name }),
  description: Schema.optionalKey(Description).annotateKey({ description: `${note} It can be replaced, not removed.` }),
  severity: Schema.optionalKey(AlarmSeverity),
  enabled: Schema.optionalKey(Schema.Boolean).annotateKey({ description: enabled }),
  rule: Schema.optionalKey(AlarmRuleRequest).annotateKey({
    description: "Replaces the whole rule. The state stays until the next evaluation, which follows at once."
  })
}).annotate({
  identifier: "AlarmChange",
  description: "A change of an alarm. Fields that are left out stay as they are."
})
export type AlarmChange = typeof AlarmChange.Type

export const Alarm = Schema.Struct({
  alarm_id: Schema.String.annotateKey({ description: "The alarm's id: `alm-` and 12 hexadecimal digits." }),
  name: Schema.String.annotateKey({ description: "The name, which need not be unique." }),
  description: Schema.NullOr(Schema.String).annotateKey({ description: "A note. Null for none." }),
  severity: AlarmSeverity,
  enabled: Schema.Boolean.annotateKey({ description: enabled }),
  rule: AlarmRule.annotateKey({ description: "The metric that the alarm watches, and its condition." }),
  state: AlarmState,
  reason: Schema.String.annotateKey({ description: "Why the alarm is in its state, with the last value." }),
  last_transition_at: Schema.NullOr(Schema.String).annotateKey({
    description: "Since when the alarm is in its state. RFC 3339, UTC. Null until its state first changed."
  }),
  evaluated_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "When the alarm was last evaluated, whether or not there were measurements. RFC 3339, UTC. Null before the " +
      "first time."
  }),
  created_at: Schema.String.annotateKey({ description: "When the alarm was created. RFC 3339, UTC." })
}).annotate({ identifier: "Alarm", description: "An alarm, as it was last evaluated." })
export type Alarm = typeof Alarm.Type

const alarmId = { alarm_id: Schema.String.annotateKey({ description: "The id of the alarm." }) }

export class Alarms extends HttpApiGroup.make("alarms")
  .add(
    HttpApiEndpoint.get("list", "/alarms", {
      query: {
        state: Schema.optionalKey(AlarmState).annotateKey({ description: "Only alarms in this state. Default: all." })
      },
      success: wholeList("AlarmList", {
        alarms: Schema.Array(Alarm).annotateKey({ description: "The alarms, oldest first." })
      })
    }).annotateMerge(
      described(
        "List alarms",
        "Returns the tenant's alarms as they were last evaluated. There are no pages: a tenant has 100 at most. " +
          "`count` is the number of those in the state that the query names."
      )
    ),
    HttpApiEndpoint.post("create", "/alarms", {
      payload: AlarmCreate,
      success: Alarm.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...ceilingCodes,
        "autoscaling_group_not_found",
        "instance_not_found",
        "service_not_found",
        "upstream_failed"
      )
    })
      .annotateMerge(
        described(
          "Create an alarm",
          "Makes an alarm about one server or one autoscaling group of the tenant. It begins as " +
            "`insufficient_data`, is evaluated within seconds and then about once a minute. Each change of its " +
            "state is an event on the topic `alarms` and applies the scaling policies that name it. A tenant has " +
            "100 alarms at most (409 `ceiling_reached` with the numbers). On a cloud without monitoring it is a 404 " +
            "(`service_not_found`)."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.get("show", "/alarms/:alarm_id", {
      params: alarmId,
      success: Alarm,
      error: failures("alarm_not_found")
    }).annotateMerge(
      described("Show an alarm", "Returns an alarm as it was last evaluated, with the reason of its state.")
    ),
    HttpApiEndpoint.patch("update", "/alarms/:alarm_id", {
      params: alarmId,
      payload: AlarmChange,
      success: Alarm,
      error: failures(
        "alarm_not_found",
        "autoscaling_group_not_found",
        "instance_not_found",
        "policy_denied",
        "upstream_failed",
        "upstream_refused"
      )
    })
      .annotateMerge(
        described(
          "Change an alarm",
          "Changes the fields that the request names. The state stays until the next evaluation, which follows at " +
            "once, and which applies the scaling policies that name the alarm: they make and delete servers. To pause " +
            "an alarm, send `enabled` false. It may be repeated."
        )
      )
      // A caller who changes the threshold of an alarm can scale every group that has a policy for it.
      .annotate(ActsOn, ["autoscaling", "compute"]),
    HttpApiEndpoint.delete("remove", "/alarms/:alarm_id", {
      params: alarmId,
      success: Alarm,
      error: failures("alarm_not_found")
    }).annotateMerge(
      described(
        "Delete an alarm",
        "Deletes an alarm and returns it as it was last. Its events stay. Scaling policies that name it stay too, " +
          "and act only when they are triggered."
      )
    )
  )
  .annotateMerge(
    titled(
      "Alarms",
      "Alarms watch a metric of a server or of an autoscaling group. The platform compares the mean of each period " +
        "with a threshold. When an alarm changes its state it publishes an event, which webhooks and integrations " +
        "deliver, and applies the scaling policies that name it."
    )
  )
  .pipe(tenantRoutes) {}
