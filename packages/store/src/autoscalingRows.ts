import { AlarmState, GroupState, ScalingPolicy, ServerTemplate } from "@portico/contract/Autoscaling"
import { Duration, Schema } from "effect"
import { moment } from "./rows.ts"

/**
 * Why a server leaves the group. `scale_in`: too many servers. `error`: it is
 * broken. `deletion`: the group is deleted. `duplicate`: a second server for
 * the same slot. `gone`: it no longer exists, or another caller has deleted it.
 */
export const Leaving = Schema.Literals(["scale_in", "error", "deletion", "duplicate", "gone"])
export type Leaving = typeof Leaving.Type

/** A slot in a group with its server, existing or requested. */
export const Member = Schema.Struct({
  /** A UUID that the server carries, so that a server whose create call had no response is found again. */
  slot: Schema.String,
  /** Null until the server is known. */
  server_id: Schema.NullOr(Schema.String),
  /** The status that Nova last reported. */
  status: Schema.NullOr(Schema.String),
  leaving: Schema.NullOr(Leaving),
  /**
   * Until when, in epoch milliseconds, a server may still appear for this slot
   * after a create call whose response was lost. No process creates another one
   * before.
   */
  doubt_until: Schema.NullOr(Schema.Int)
})
export type Member = typeof Member.Type

export const GroupEntry = Schema.Struct({
  group_id: Schema.String,
  project_id: Schema.String,
  name: Schema.String,
  min: Schema.Int,
  max: Schema.Int,
  desired: Schema.Int,
  template: ServerTemplate,
  cooldown_seconds: Schema.Int,
  cooldown_until: Schema.NullOr(moment),
  policies: Schema.Array(ScalingPolicy),
  alarms: Schema.Record(Schema.String, AlarmState),
  deleting: Schema.Boolean,
  /** Grows with every change by the tenant. */
  revision: Schema.Int,
  state: GroupState,
  reason: Schema.NullOr(Schema.String),
  /** Oldest first. */
  members: Schema.Array(Member),
  errors: Schema.Int,
  failures: Schema.Int,
  limits: Schema.Int,
  observed_at: Schema.NullOr(moment),
  created_by: Schema.String,
  created_at: moment,
  due_at: moment,
  lease: Schema.NullOr(Schema.String),
  lease_ends: Schema.NullOr(moment)
})
export type GroupEntry = typeof GroupEntry.Type

export type NewGroup = Pick<
  GroupEntry,
  | "group_id"
  | "project_id"
  | "name"
  | "min"
  | "max"
  | "desired"
  | "template"
  | "cooldown_seconds"
  | "policies"
  | "created_by"
>

/** The fields that a tenant, an alarm or a deletion changes. */
export type GroupWish = Partial<
  Pick<
    GroupEntry,
    | "min"
    | "max"
    | "desired"
    | "template"
    | "cooldown_seconds"
    | "cooldown_until"
    | "policies"
    | "alarms"
    | "deleting"
    | "state"
    | "reason"
    | "errors"
    | "failures"
  >
>

/** The fields that only the lease holder changes. */
export type GroupProgress = Partial<
  Pick<GroupEntry, "state" | "reason" | "members" | "errors" | "failures" | "limits" | "observed_at">
>

/** Renewed at every stored progress. Longer than the slowest step between two of them. */
export const groupLease = Duration.minutes(2)
