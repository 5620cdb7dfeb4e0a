import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { autoscalingInMemory } from "./autoscalingInMemory.ts"
import { GroupEntry, groupLease, type GroupProgress, type GroupWish, type NewGroup } from "./autoscalingRows.ts"
import { Memory } from "./Memory.ts"
import { momentsOf, rowsOf } from "./rows.ts"

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
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { byId, first, rows } = rowsOf(GroupEntry)
      const { after, now } = momentsOf(sql)
      const own = (entry: GroupEntry) => sql`group_id = ${entry.group_id} AND lease = ${entry.lease}::uuid`
      const at = (moment: DateTime.Utc | null) => (moment === null ? sql`NULL` : sql`${DateTime.toDateUtc(moment)}`)

      /** What is absent stays. */
      const progressed = ({ errors, failures, limits, members, observed_at, reason, state }: GroupProgress) => sql`
        state = ${state === undefined ? sql`state` : sql`${state}`},
        reason = ${reason === undefined ? sql`reason` : sql`${reason}`},
        members = ${members === undefined ? sql`members` : json(members)},
        errors = ${errors === undefined ? sql`errors` : sql`${errors}`},
        failures = ${failures === undefined ? sql`failures` : sql`${failures}`},
        limits = ${limits === undefined ? sql`limits` : sql`${limits}`},
        observed_at = ${observed_at === undefined ? sql`observed_at` : at(observed_at)}`

      const wished = ({
        alarms,
        cooldown_seconds,
        cooldown_until,
        deleting,
        policies,
        template,
        ..._
      }: GroupWish) => sql`
        min = ${_.min === undefined ? sql`min` : sql`${_.min}`},
        max = ${_.max === undefined ? sql`max` : sql`${_.max}`},
        desired = ${_.desired === undefined ? sql`desired` : sql`${_.desired}`},
        template = ${template === undefined ? sql`template` : json(template)},
        cooldown_seconds = ${cooldown_seconds === undefined ? sql`cooldown_seconds` : sql`${cooldown_seconds}`},
        cooldown_until = ${cooldown_until === undefined ? sql`cooldown_until` : at(cooldown_until)},
        policies = ${policies === undefined ? sql`policies` : json(policies)},
        alarms = ${alarms === undefined ? sql`alarms` : json(alarms)},
        deleting = ${deleting === undefined ? sql`deleting` : sql`${deleting}`},
        state = ${_.state === undefined ? sql`state` : sql`${_.state}`},
        reason = ${_.reason === undefined ? sql`reason` : sql`${_.reason}`},
        errors = ${_.errors === undefined ? sql`errors` : sql`${_.errors}`},
        failures = ${_.failures === undefined ? sql`failures` : sql`${_.failures}`}`

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
            UPDATE autoscaling_groups SET ${wished(to)}, revision = revision + 1, due_at = LEAST(due_at, ${now})
            WHERE group_id = ${entry.group_id} AND revision = ${entry.revision} RETURNING *`),
        hear: (entry, alarms) =>
          first(sql`
            UPDATE autoscaling_groups SET alarms = ${json(alarms)}, revision = revision + 1
            WHERE group_id = ${entry.group_id} AND revision = ${entry.revision} RETURNING *`),
        claim: first(sql`
          UPDATE autoscaling_groups SET lease = gen_random_uuid(), lease_ends = ${after(groupLease)}
          WHERE group_id IN (
            SELECT group_id FROM autoscaling_groups
            WHERE due_at <= ${now} AND (lease IS NULL OR lease_ends <= ${now})
            ORDER BY due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
          RETURNING *`),
        keep: (entry, progress) =>
          first(sql`
            UPDATE autoscaling_groups SET ${progressed(progress)}, lease_ends = ${after(groupLease)}
            WHERE ${own(entry)} RETURNING *`),
        release: (entry, progress, pause) =>
          Effect.map(
            first(sql`
              UPDATE autoscaling_groups SET ${progressed(progress)}, lease = NULL, lease_ends = NULL,
                due_at = CASE WHEN revision = ${entry.revision} THEN ${after(pause)} ELSE ${now} END
              WHERE ${own(entry)} RETURNING *`),
            (_) => _ !== undefined
          ),
        drop: (entry) =>
          Effect.map(
            first(sql`DELETE FROM autoscaling_groups WHERE ${own(entry)} RETURNING *`),
            (_) => _ !== undefined
          ),
        removeIdle: Effect.fnUntraced(function* (projectId, groupId) {
          yield* rows(sql`
            DELETE FROM autoscaling_groups
            WHERE group_id = ${groupId} AND project_id = ${projectId} AND (lease IS NULL OR lease_ends <= ${now})
            RETURNING *`)
          const left = yield* rows(sql`SELECT * FROM autoscaling_groups WHERE group_id = ${groupId}`)
          return left.length === 0
        })
      })
    })
  )

  static readonly layerMemory = Layer.effect(AutoscalingGroups, Effect.map(Memory, autoscalingInMemory))
}
