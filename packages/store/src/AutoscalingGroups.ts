import { PgClient } from "@effect/sql-pg"
import { Context, type Duration, Effect, Layer } from "effect"
import { autoscalingInMemory } from "./autoscalingInMemory.ts"
import { GroupEntry, groupLease, type GroupProgress, type GroupWish, type NewGroup } from "./autoscalingRows.ts"
import { leasedOf } from "./leased.ts"
import { Memory } from "./Memory.ts"
import { changesOf, momentsOf, rowsOf, some } from "./rows.ts"

export type { GroupEntry, GroupProgress, GroupWish, Leaving, Member, NewGroup } from "./autoscalingRows.ts"

/**
 * Autoscaling groups, one row each. What is wanted of a group anybody changes,
 * by its revision; what is there of it, whoever holds the lease alone.
 */
export class AutoscalingGroups extends Context.Service<
  AutoscalingGroups,
  {
    /** Due at once. Undefined when the tenant has one of that name. */
    insert(group: NewGroup): Effect.Effect<GroupEntry | undefined>
    find(projectId: string, groupId: string): Effect.Effect<GroupEntry | undefined>
    /** All of a tenant, oldest first. */
    list(projectId: string): Effect.Effect<ReadonlyArray<GroupEntry>>
    /** Changes what is wanted, and makes it due. Undefined when somebody else has changed it since it was read, or it is gone. */
    change(entry: GroupEntry, to: GroupWish): Effect.Effect<GroupEntry | undefined>
    /** Remembers an alarm's state, where nothing is wanted of the group. Undefined as for {@link change}. */
    hear(entry: GroupEntry, alarms: GroupEntry["alarms"]): Effect.Effect<GroupEntry | undefined>
    /** Takes the one that is due longest; each goes to one process, over all replicas. */
    readonly claim: Effect.Effect<GroupEntry | undefined>
    /** Writes down how far it has come, and renews the lease. Undefined when it has passed to another process. */
    keep(entry: GroupEntry, progress: GroupProgress): Effect.Effect<GroupEntry | undefined>
    /** Lets go of it until it is due again, which is at once when something else is wanted by now. False when the lease has passed. */
    release(entry: GroupEntry, progress: GroupProgress, pause: Duration.Duration): Effect.Effect<boolean>
    /** The group is gone. False when the lease has passed. */
    drop(entry: GroupEntry): Effect.Effect<boolean>
    /** Of a project that is being destroyed: false while a process is at work on it. Repeatable. */
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

  static readonly layerMemory = Layer.effect(AutoscalingGroups, Effect.map(Memory, autoscalingInMemory))
}
