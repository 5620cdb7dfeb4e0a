import { PgClient } from "@effect/sql-pg"
import { AlarmState, GroupState, ScalingPolicy, ServerTemplate } from "@portico/contract/Autoscaling"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { leasedOf } from "./leased.ts"
import { changesOf, moment, momentsOf, rowsOf, some } from "./rows.ts"

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
  doubt_until: Schema.NullOr(Schema.Int),
  /** Until when, in epoch milliseconds, the slot of a server that ended in ERROR stays empty. */
  retry_at: Schema.optionalKey(Schema.Int)
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

/** The columns that a tenant, an alarm or a deletion changes. */
const wish = [
  "min",
  "max",
  "desired",
  "template",
  "cooldown_seconds",
  "cooldown_until",
  "policies",
  "alarms",
  "deleting",
  "state",
  "reason",
  "errors",
  "failures"
] as const
export type GroupWish = Partial<Pick<GroupEntry, (typeof wish)[number]>>

/** The columns that only the lease holder changes. */
const progress = ["state", "reason", "members", "errors", "failures", "limits", "observed_at"] as const
export type GroupProgress = Partial<Pick<GroupEntry, (typeof progress)[number]>>

/** Renewed at every stored progress. Longer than the slowest step between two of them. */
export const groupLease = Duration.minutes(2)

/**
 * Autoscaling groups, one row each. Any caller changes the wish, guarded by the
 * revision. Only the lease holder changes the observed state.
 */
export class AutoscalingGroups extends Context.Service<
  AutoscalingGroups,
  {
    /** The group is due at once. Undefined when the tenant already has a group of that name. */
    insert(group: NewGroup): Effect.Effect<GroupEntry | undefined>
    find(projectId: string, groupId: string): Effect.Effect<GroupEntry | undefined>
    /** All groups of a tenant, oldest first. */
    list(projectId: string): Effect.Effect<ReadonlyArray<GroupEntry>>
    /**
     * Changes the wish and makes the group due. Undefined when another caller
     * changed it since it was read, or it is gone.
     */
    change(entry: GroupEntry, to: GroupWish): Effect.Effect<GroupEntry | undefined>
    /**
     * Stores the alarms' states and a new revision, but changes neither the
     * wish nor the due time. Undefined as for {@link change}.
     */
    hear(entry: GroupEntry, alarms: GroupEntry["alarms"]): Effect.Effect<GroupEntry | undefined>
    /** Claims the group that has been due longest. Each goes to one replica. */
    readonly claim: Effect.Effect<GroupEntry | undefined>
    /** Stores the progress and renews the lease. Undefined when the lease passed to another process. */
    keep(entry: GroupEntry, to: GroupProgress): Effect.Effect<GroupEntry | undefined>
    /**
     * Stores the progress and releases the lease. The group is due again after
     * the pause, or at once when its wish has changed meanwhile. False when the
     * lease has passed.
     */
    release(entry: GroupEntry, to: GroupProgress, pause: Duration.Duration): Effect.Effect<boolean>
    /** Deletes the group's row. False when the lease has passed. */
    drop(entry: GroupEntry): Effect.Effect<boolean>
    /** For a project that is being destroyed. False while a process works on the group. Repeatable. */
    removeIdle(projectId: string, groupId: string): Effect.Effect<boolean>
  }
>()("portico/store/AutoscalingGroups") {
  static readonly layer = Layer.effect(
    AutoscalingGroups,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { json } = sql
      const { byId, first, rows } = rowsOf(GroupEntry)
      const { after, now } = momentsOf(sql)
      const wished = changesOf(sql, wish)
      const reached = changesOf(sql, progress)
      const { claim, isFree, own, released, renewed } = leasedOf(sql, {
        table: "autoscaling_groups",
        key: "group_id",
        due: "due_at",
        time: groupLease
      })
      return AutoscalingGroups.of({
        insert: (_) =>
          first(sql`
            INSERT INTO autoscaling_groups (group_id, project_id, name, min, max, desired, template, cooldown_seconds,
              policies, created_by, created_at, due_at)
            VALUES (${_.group_id}, ${_.project_id}, ${_.name}, ${_.min}, ${_.max}, ${_.desired}, ${json(_.template)},
              ${_.cooldown_seconds}, ${json(_.policies)}, ${_.created_by}, ${now}, ${now})
            ON CONFLICT (project_id, name) DO NOTHING RETURNING *`),
        find: (projectId, groupId) =>
          byId(
            groupId,
            sql`SELECT * FROM autoscaling_groups WHERE group_id = ${groupId} AND project_id = ${projectId}`
          ),
        list: (projectId) =>
          rows(sql`
            SELECT * FROM autoscaling_groups WHERE project_id = ${projectId} ORDER BY created_at, group_id`),
        change: (entry, to) =>
          first(sql`
            UPDATE autoscaling_groups
            SET ${sql.csv([...wished(to), sql`revision = revision + 1, due_at = LEAST(due_at, ${now})`])}
            WHERE group_id = ${entry.group_id} AND revision = ${entry.revision} RETURNING *`),
        hear: (entry, alarms) =>
          first(sql`
            UPDATE autoscaling_groups SET alarms = ${json(alarms)}, revision = revision + 1
            WHERE group_id = ${entry.group_id} AND revision = ${entry.revision} RETURNING *`),
        claim: first(sql`${claim({ limit: 1 })} RETURNING *`),
        keep: (entry, to) =>
          first(sql`
            UPDATE autoscaling_groups SET ${sql.csv([...reached(to), renewed])}
            WHERE ${own(entry)} RETURNING *`),
        release: (entry, to, pause) =>
          some(sql`
              UPDATE autoscaling_groups SET ${sql.csv([
                ...reached(to),
                released(sql`CASE WHEN revision = ${entry.revision} THEN ${after(pause)} ELSE ${now} END`)
              ])}
              WHERE ${own(entry)} RETURNING *`),
        drop: (entry) => some(sql`DELETE FROM autoscaling_groups WHERE ${own(entry)} RETURNING *`),
        removeIdle: Effect.fnUntraced(function* (projectId, groupId) {
          yield* rows(sql`
            DELETE FROM autoscaling_groups
            WHERE group_id = ${groupId} AND project_id = ${projectId} AND ${isFree}
            RETURNING *`)
          const left = yield* rows(sql`
            SELECT * FROM autoscaling_groups WHERE group_id = ${groupId} AND project_id = ${projectId}`)
          return left.length === 0
        })
      })
    })
  )
}
