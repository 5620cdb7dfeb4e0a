import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { AlarmState } from "./Autoscaling.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { InstanceMetric } from "./Metrics.ts"

export const AlarmComparison = Schema.Literals(["lt", "le", "eq", "ne", "ge", "gt"])
export type AlarmComparison = typeof AlarmComparison.Type

export const AlarmSeverity = Schema.Literals(["low", "moderate", "critical"])
export type AlarmSeverity = typeof AlarmSeverity.Type

/** A UUID of the platform, or an id of the gateway. */
const Reference = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))

/** The measured series; the units are those of the metric's history. */
const rule = {
  metric: InstanceMetric,
  /** One instance, or the mean of an autoscaling group. Exactly one of the two. */
  instance_id: Schema.optionalKey(Reference),
  group_id: Schema.optionalKey(Reference),
  /** `gt`: the measured value is greater than the threshold. */
  comparison: AlarmComparison,
  threshold: Schema.Finite
}

const periods = {
  /** The value of a period is the mean of its measurements. */
  period_seconds: Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 3600 })),
  /** The number of consecutive periods that decide together. */
  evaluation_periods: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 24 }))
}

const oneTarget = Schema.makeFilter(
  (_: { readonly instance_id?: string; readonly group_id?: string }) =>
    (_.instance_id === undefined) !== (_.group_id === undefined),
  { expected: "either instance_id or group_id" }
)

/** A missing period is 60 seconds, and a missing number of periods is one. */
export const AlarmRuleRequest = Schema.Struct({
  ...rule,
  period_seconds: Schema.optionalKey(periods.period_seconds),
  evaluation_periods: Schema.optionalKey(periods.evaluation_periods)
})
  .check(oneTarget)
  .annotate({ identifier: "AlarmRuleRequest" })
export type AlarmRuleRequest = typeof AlarmRuleRequest.Type

export const AlarmRule = Schema.Struct({ ...rule, ...periods }).annotate({ identifier: "AlarmRule" })
export type AlarmRule = typeof AlarmRule.Type

const line = (longest: number) =>
  Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(longest),
    Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u, { expected: "text of one line" })
  )

const Name = line(200)
const Description = line(1000)

export const AlarmCreate = Schema.Struct({
  /** Not unique. */
  name: Name,
  description: Schema.optionalKey(Description),
  /** Default `low`. Shown with the alarm, and has no other effect. */
  severity: Schema.optionalKey(AlarmSeverity),
  /** Default true. */
  enabled: Schema.optionalKey(Schema.Boolean),
  rule: AlarmRuleRequest
}).annotate({ identifier: "AlarmCreate" })
export type AlarmCreate = typeof AlarmCreate.Type

/** Missing fields stay unchanged. */
export const AlarmChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  description: Schema.optionalKey(Description),
  severity: Schema.optionalKey(AlarmSeverity),
  /** A disabled alarm is not evaluated, and keeps its state. */
  enabled: Schema.optionalKey(Schema.Boolean),
  /** Replaces the whole rule. The state stays until the next evaluation, which follows at once. */
  rule: Schema.optionalKey(AlarmRuleRequest)
}).annotate({ identifier: "AlarmChange" })
export type AlarmChange = typeof AlarmChange.Type

export const Alarm = Schema.Struct({
  alarm_id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  severity: AlarmSeverity,
  enabled: Schema.Boolean,
  rule: AlarmRule,
  state: AlarmState,
  /** The reason of the present state. */
  reason: Schema.String,
  /** Null until the first transition. */
  last_transition_at: Schema.NullOr(Schema.String),
  /** The last evaluation, whether or not a value could be read. */
  evaluated_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Alarm" })
export type Alarm = typeof Alarm.Type

const alarmId = { alarm_id: Schema.String }

/** Both planes. */
export class Alarms extends HttpApiGroup.make("alarms")
  .add(
    HttpApiEndpoint.get("list", "/alarms", {
      query: { state: Schema.optionalKey(AlarmState) },
      success: Schema.Struct({ count: Schema.Int, alarms: Schema.Array(Alarm) }).annotate({ identifier: "AlarmList" })
    }),
    HttpApiEndpoint.post("create", "/alarms", {
      payload: AlarmCreate,
      success: Alarm.pipe(HttpApiSchema.status(201)),
      error: failures(
        "autoscaling_group_not_found",
        "ceiling_reached",
        "concurrent_change",
        "instance_not_found",
        "service_not_found",
        "tenant_not_found",
        "tier_unreadable",
        "upstream_failed"
      )
    }).middleware(Creates),
    HttpApiEndpoint.get("show", "/alarms/:alarm_id", {
      params: alarmId,
      success: Alarm,
      error: failures("alarm_not_found")
    }),
    HttpApiEndpoint.patch("update", "/alarms/:alarm_id", {
      params: alarmId,
      payload: AlarmChange,
      success: Alarm,
      error: failures("alarm_not_found", "autoscaling_group_not_found", "instance_not_found", "upstream_failed")
    }),
    HttpApiEndpoint.delete("remove", "/alarms/:alarm_id", {
      params: alarmId,
      success: Alarm,
      error: failures("alarm_not_found")
    })
  )
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
