import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { givingUp } from "./givingUp.ts"
import { atOnce, changesOf, countOf, momentsOf, rowsOf, some } from "./rows.ts"
import { targetColumns } from "./targetColumns.ts"
import { type NewTarget, type SealedSecret, TargetEntry, targetWish, type TargetWish } from "./targetRows.ts"

export type { NewTarget, SealedSecret, TargetEntry, TargetKind, TargetWish } from "./targetRows.ts"

/**
 * The destinations of tenants' events, one row each: webhooks and notification
 * integrations. Their deliveries are in `Deliveries`.
 */
export class Targets extends Context.Service<
  Targets,
  {
    insert(target: NewTarget): Effect.Effect<TargetEntry>
    find(projectId: string, targetId: string): Effect.Effect<TargetEntry | undefined>
    /** All targets of a tenant, of every kind, oldest first. */
    list(projectId: string): Effect.Effect<ReadonlyArray<TargetEntry>>
    /** Undefined when there is no such target. */
    change(projectId: string, targetId: string, to: TargetWish): Effect.Effect<TargetEntry | undefined>
    /**
     * Replaces the secrets, if they are still those of the entry: a rotation by the tenant is not undone. The tenant
     * sees no change. False when they were different ones.
     */
    reseal(entry: TargetEntry, secrets: ReadonlyArray<SealedSecret>): Effect.Effect<boolean>
    /**
     * Enables a disabled target for events after that sequence, and resets its failures. What still waits from before is
     * given up first, in as many statements as it takes.
     */
    enable(projectId: string, targetId: string, fromSequence: number): Effect.Effect<TargetEntry | undefined>
    /**
     * Disables an active target and gives up its pending deliveries: the first {@link atOnce}, and those behind them by
     * `Deliveries.giveUp`. Uses the caller's transaction if there is one.
     *
     * @param reason null when its tenant disables it
     */
    disable(projectId: string, targetId: string, reason: string | null): Effect.Effect<TargetEntry | undefined>
    /**
     * Removes the target with all its deliveries, in as many statements as it takes. Returns the removed target;
     * undefined when there was none.
     */
    remove(projectId: string, targetId: string): Effect.Effect<TargetEntry | undefined>
    /** The active targets of these tenants. */
    active(projectIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<TargetEntry>>
  }
>()("portico/store/Targets") {
  static readonly layer = Layer.effect(
    Targets,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { json } = sql
      const { byId, one, rows } = rowsOf(TargetEntry)
      const { now } = momentsOf(sql)
      const changes = changesOf(sql, targetWish)
      const columns = targetColumns(sql)
      const isTarget = (projectId: string, targetId: string) =>
        sql`target_id = ${targetId} AND project_id = ${projectId}`
      const giveUp = givingUp(sql)
      /** Numbers of the deliveries of a target, if it is as said. */
      const numbers = (target: Statement.Fragment, deliveries: Statement.Fragment) => sql`
        SELECT number FROM deliveries
        WHERE target_id = (SELECT target_id FROM targets WHERE ${target}) ${deliveries} LIMIT ${atOnce}`
      const pending = sql`AND state = 'pending'`
      /** Whether some are left: another process may have given up the same ones meanwhile, which are not counted here. */
      const gaveUpSome = (target: Statement.Fragment) =>
        Effect.andThen(giveUp(numbers(target, pending)), some(sql`SELECT 1 WHERE EXISTS (${numbers(target, pending)})`))
      const deleted = (chosen: Statement.Fragment) =>
        countOf(sql`
          WITH deleted AS (DELETE FROM deliveries WHERE number IN (${chosen}) RETURNING 1)
          SELECT count(*)::int AS count FROM deleted`)

      const find = (projectId: string, targetId: string) =>
        byId(targetId, sql`SELECT ${columns} FROM targets WHERE ${isTarget(projectId, targetId)}`)
      /** A change of a target after a batch, which is repeated while it says that something is left. */
      const behind = (
        projectId: string,
        targetId: string,
        batch: Effect.Effect<boolean>,
        change: Statement.Statement<unknown>
      ) =>
        Effect.flatMap(find(projectId, targetId), (found) =>
          found === undefined
            ? Effect.undefined
            : Effect.andThen(Effect.repeat(batch, { while: (_) => _ }), byId(targetId, change))
        )

      return Targets.of({
        insert: (_) =>
          one(sql`
            INSERT INTO targets (target_id, project_id, kind, name, settings, secrets, topics, kinds, from_sequence,
              state, served_at, created_by, of_agent, created_at, updated_at)
            VALUES (${_.target_id}, ${_.project_id}, ${_.kind}, ${_.name}, ${json(_.settings)}, ${json(_.secrets)},
              ${json(_.topics)}, ${json(_.kinds)}, ${_.from_sequence}::float8::bigint, ${_.state}, ${now},
              ${_.created_by}, ${_.of_agent}, ${now}, ${now})
            RETURNING ${columns}`),
        find,
        list: (projectId) =>
          rows(sql`SELECT ${columns} FROM targets WHERE project_id = ${projectId} ORDER BY created_at, target_id`),
        change: (projectId, targetId, to) =>
          byId(
            targetId,
            sql`
              UPDATE targets SET ${sql.csv([...changes(to), sql`updated_at = ${now}`])}
              WHERE ${isTarget(projectId, targetId)} RETURNING ${columns}`
          ),
        reseal: (entry, secrets) =>
          some(sql`
            UPDATE targets SET secrets = ${json(secrets)}
            WHERE target_id = ${entry.target_id} AND secrets = ${json(entry.secrets)} RETURNING target_id`),
        enable: (projectId, targetId, fromSequence) =>
          behind(
            projectId,
            targetId,
            gaveUpSome(sql`${isTarget(projectId, targetId)} AND state = 'disabled'`),
            sql`
              UPDATE targets SET state = 'active', disabled_reason = NULL, failures_in_a_row = 0, failing_since = NULL,
                rests_until = NULL, due_at = NULL, from_sequence = ${fromSequence}::float8::bigint, updated_at = ${now}
              WHERE ${isTarget(projectId, targetId)} AND state = 'disabled' RETURNING ${columns}`
          ),
        disable: (projectId, targetId, reason) =>
          Effect.orDie(
            sql.withTransaction(
              Effect.gen(function* () {
                const entry = yield* byId(
                  targetId,
                  sql`
                    UPDATE targets SET state = 'disabled', disabled_reason = ${reason}, rests_until = NULL,
                      due_at = NULL, updated_at = ${now}
                    WHERE ${isTarget(projectId, targetId)} AND state = 'active' RETURNING ${columns}`
                )
                if (entry === undefined) return undefined
                yield* giveUp(numbers(isTarget(projectId, targetId), sql`${pending} ORDER BY number`))
                return entry
              })
            )
          ),
        remove: (projectId, targetId) =>
          behind(
            projectId,
            targetId,
            // Not the newest ones, which go with the target: an event that came once more would be sent again meanwhile.
            Effect.map(
              deleted(numbers(isTarget(projectId, targetId), sql`ORDER BY number DESC OFFSET ${atOnce}`)),
              (_) => _ === atOnce
            ),
            sql`DELETE FROM targets WHERE ${isTarget(projectId, targetId)} RETURNING ${columns}`
          ),
        active: (projectIds) =>
          rows(sql`
            SELECT ${columns} FROM targets WHERE project_id = ANY(${projectIds}::text[]) AND state = 'active'
            ORDER BY created_at, target_id`)
      })
    })
  )
}
