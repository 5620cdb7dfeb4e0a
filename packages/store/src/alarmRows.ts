import { AlarmRule, AlarmSeverity } from "@portico/contract/Alarms"
import { AlarmState } from "@portico/contract/Autoscaling"
import { Duration, Schema } from "effect"
import { moment } from "./rows.ts"

export const AlarmEntry = Schema.Struct({
  alarm_id: Schema.String,
  project_id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  severity: AlarmSeverity,
  enabled: Schema.Boolean,
  rule: AlarmRule,
  /** Grows with every change by the tenant. */
  revision: Schema.Int,
  state: AlarmState,
  reason: Schema.String,
  /** How often the state has changed. */
  transitions: Schema.Int,
  last_transition_at: Schema.NullOr(moment),
  /** The last transition is not yet published to the autoscaling groups. */
  untold: Schema.Boolean,
  unknown_since: Schema.NullOr(moment),
  evaluated_at: Schema.NullOr(moment),
  created_by: Schema.String,
  created_at: moment,
  due_at: moment,
  lease: Schema.NullOr(Schema.String),
  lease_ends: Schema.NullOr(moment)
})
export type AlarmEntry = typeof AlarmEntry.Type

export type NewAlarm = Pick<
  AlarmEntry,
  | "alarm_id"
  | "project_id"
  | "name"
  | "description"
  | "severity"
  | "enabled"
  | "rule"
  | "state"
  | "reason"
  | "created_by"
>

/** The fields that a tenant changes. */
export type AlarmWish = Partial<Pick<AlarmEntry, "name" | "description" | "severity" | "enabled" | "rule">>

/** The fields that only the lease holder changes. */
export type AlarmFinding = Pick<
  AlarmEntry,
  "state" | "reason" | "transitions" | "last_transition_at" | "untold" | "unknown_since" | "evaluated_at"
>

/** Longer than one evaluation with all its time-outs. */
export const alarmLease = Duration.minutes(2)

/** The number of alarms per project and state. */
export const AlarmCount = Schema.Struct({ project_id: Schema.String, state: AlarmState, count: Schema.Int })
export type AlarmCount = typeof AlarmCount.Type
