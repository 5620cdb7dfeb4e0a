import { AlarmState, GroupState, ScalingPolicy, ServerTemplate } from "@portico/contract/Autoscaling"
import { Duration, Schema } from "effect"
import { moment } from "./rows.ts"

/** Why a server goes: too many; it is broken; the group goes; a second one for its place; it is gone already, or somebody else has deleted it. */
export const Leaving = Schema.Literals(["scale_in", "error", "deletion", "duplicate", "gone"])
export type Leaving = typeof Leaving.Type

/** A place in a group: the server that has it, or is to have it. */
export const Member = Schema.Struct({
  /** A UUID, which the server carries, so that one whose creation nobody answered is found again. */
  slot: Schema.String,
  /** Null until the server is known. */
  server_id: Schema.NullOr(Schema.String),
  /** As Nova last told it. */
  status: Schema.NullOr(Schema.String),
  leaving: Schema.NullOr(Leaving),
  /**
   * Until when, in milliseconds, a server may yet come into being for it: one was
   * asked for, and the answer was lost. Nobody asks for another one before.
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
  /** Grows with every change of what the tenant wants. */
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

/** What a tenant, an alarm or a deletion changes. */
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

/** What whoever holds the lease writes down. */
export type GroupProgress = Partial<
  Pick<GroupEntry, "state" | "reason" | "members" | "errors" | "failures" | "limits" | "observed_at">
>

/** Renewed with every word that is written down; longer than the slowest step between two of them. */
export const groupLease = Duration.minutes(2)
