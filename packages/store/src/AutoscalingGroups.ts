import { PgClient } from "@effect/sql-pg"
import { Context, type Duration, Effect, Layer } from "effect"
import { GroupEntry, groupLease, type GroupProgress, type GroupWish, type NewGroup } from "./autoscalingRows.ts"
import { leasedOf } from "./leased.ts"
import { changesOf, momentsOf, rowsOf, some } from "./rows.ts"

export type { GroupEntry, GroupProgress, GroupWish, Leaving, Member, NewGroup } from "./autoscalingRows.ts"

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
    keep(entry: GroupEntry, progress: GroupProgress): Effect.Effect<GroupEntry | undefined>
    /**
     * Stores the progress and releases the lease. The group is due again after
     * the pause, or at once when its wish has changed meanwhile. False when the
     * lease has passed.
     */
    release(entry: GroupEntry, progress: GroupProgress, pause: Duration.Duration): Effect.Effect<boolean>
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
      const changes = changesOf(sql)
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
            SET ${sql.csv([...changes(to), sql`revision = revision + 1, due_at = LEAST(due_at, ${now})`])}
            WHERE group_id = ${entry.group_id} AND revision = ${entry.revision} RETURNING *`),
        hear: (entry, alarms) =>
          first(sql`
            UPDATE autoscaling_groups SET alarms = ${json(alarms)}, revision = revision + 1
            WHERE group_id = ${entry.group_id} AND revision = ${entry.revision} RETURNING *`),
        claim: first(sql`${claim({ limit: 1 })} RETURNING *`),
        keep: (entry, progress) =>
          first(sql`
            UPDATE autoscaling_groups SET ${sql.csv([...changes(progress), renewed])}
            WHERE ${own(entry)} RETURNING *`),
        release: (entry, progress, pause) =>
          some(sql`
              UPDATE autoscaling_groups SET ${sql.csv([
                ...changes(progress),
                released(sql`CASE WHEN revision = ${entry.revision} THEN ${after(pause)} ELSE ${now} END`)
              ])}
              WHERE ${own(entry)} RETURNING *`),
        drop: (entry) => some(sql`DELETE FROM autoscaling_groups WHERE ${own(entry)} RETURNING *`),
        removeIdle: Effect.fnUntraced(function* (projectId, groupId) {
          yield* rows(sql`
            DELETE FROM autoscaling_groups
            WHERE group_id = ${groupId} AND project_id = ${projectId} AND ${isFree}
            RETURNING *`)
          const left = yield* rows(sql`SELECT * FROM autoscaling_groups WHERE group_id = ${groupId}`)
          return left.length === 0
        })
      })
    })
  )
}
