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

/** A UUID as the platform spells it, or an id of ours. */
const Reference = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))

/** What is looked at; the units are those of the metric's history. */
const rule = {
  metric: InstanceMetric,
  /** One instance, or the mean of an autoscaling group's: one of the two. */
  instance_id: Schema.optionalKey(Reference),
  group_id: Schema.optionalKey(Reference),
  /** `gt`: the measured value is greater than the threshold. */
  comparison: AlarmComparison,
  threshold: Schema.Finite
}

const periods = {
  /** Each period counts by the mean of what was measured in it. */
  period_seconds: Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 3600 })),
  /** So many periods in a row decide together. */
  evaluation_periods: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 24 }))
}

const oneTarget = Schema.makeFilter(
  (_: { readonly instance_id?: string; readonly group_id?: string }) =>
    (_.instance_id === undefined) !== (_.group_id === undefined),
  { expected: "either instance_id or group_id" }
)

/** With 60 seconds and one period where these are left out. */
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
  /** Two alarms may have the same. */
  name: Name,
  description: Schema.optionalKey(Description),
  /** `low` when it is left out. It is told with the alarm, and does nothing. */
  severity: Schema.optionalKey(AlarmSeverity),
  /** True when it is left out. */
  enabled: Schema.optionalKey(Schema.Boolean),
  rule: AlarmRuleRequest
}).annotate({ identifier: "AlarmCreate" })
export type AlarmCreate = typeof AlarmCreate.Type

/** What is left out stays. */
export const AlarmChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  description: Schema.optionalKey(Description),
  severity: Schema.optionalKey(AlarmSeverity),
  /** One that is not enabled is not looked at, and keeps its state. */
  enabled: Schema.optionalKey(Schema.Boolean),
  /** The whole rule. The state stays until it is looked at again, which is at once. */
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
  /** Why it is in its state. */
  reason: Schema.String,
  /** Null while it is in its first one. */
  last_transition_at: Schema.NullOr(Schema.String),
  /** When it was looked at last, whether or not anything could be read. */
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
