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
  /** Grows with every change of what the tenant wants. */
  revision: Schema.Int,
  state: AlarmState,
  reason: Schema.String,
  /** How often the state has changed. */
  transitions: Schema.Int,
  last_transition_at: Schema.NullOr(moment),
  /** The last transition is not yet told to the autoscaling groups. */
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

/** What a tenant changes. */
export type AlarmWish = Partial<Pick<AlarmEntry, "name" | "description" | "severity" | "enabled" | "rule">>

/** What whoever holds the lease has found. */
export type AlarmFinding = Pick<
  AlarmEntry,
  "state" | "reason" | "transitions" | "last_transition_at" | "untold" | "unknown_since" | "evaluated_at"
>

/** Longer than a look takes, all its time-outs together. */
export const alarmLease = Duration.minutes(2)

/** How many alarms have each state. */
export const AlarmCount = Schema.Struct({ project_id: Schema.String, state: AlarmState, count: Schema.Int })
export type AlarmCount = typeof AlarmCount.Type
