import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { givingUp } from "./givingUp.ts"
import { leasedOf } from "./leased.ts"
import { atOnce, changesOf, countOf, moment, momentsOf, rowsOf } from "./rows.ts"
import { targetColumns } from "./targetColumns.ts"
import {
  type Attempt,
  type Backlog,
  type Concluded,
  deliveryLease,
  DeliveryRow,
  type Lane,
  type NewDelivery,
  TargetEntry,
  type Waiting
} from "./targetRows.ts"

export type { Attempt, Backlog, Concluded, DeliveryRow, Lane, NewDelivery, Waiting } from "./targetRows.ts"

/**
 * Deliveries of events to targets. One process at a time serves a target,
 * across all replicas, and delivers in the order in which the deliveries were
 * added.
 */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /**
     * Skips what a target already has, and targets that are missing or not
     * active. Uses the caller's transaction if there is one. Returns how many
     * were added.
     */
    add(deliveries: ReadonlyArray<NewDelivery>): Effect.Effect<number>
    /** Adds a redelivery that the tenant asked for. Undefined when the target is not active or does not exist. */
    again(delivery: NewDelivery): Effect.Effect<DeliveryRow | undefined>
    /** Adds a delivery that is over, of a message that is in no log. Nothing is added to a target that is gone. */
    addSent(delivery: NewDelivery, attempt: Attempt): Effect.Effect<void>
    /** The topic and kind of a project's event, while the log keeps it. @param eventId a UUID */
    event(projectId: string, eventId: string): Effect.Effect<Known | undefined>
    /**
     * Claims targets that have a delivery due: one of every tenant before a
     * second of any, the least recently served first. Each lease goes to one
     * process.
     */
    claim(lane: Lane, limit: number): Effect.Effect<ReadonlyArray<TargetEntry>>
    /** The next delivery of a target; undefined when none is pending. */
    next(target: TargetEntry): Effect.Effect<Waiting | undefined>
    /**
     * Stores the outcome and renews the lease. Undefined, and nothing is
     * written, when the lease passed to another process or the target is gone.
     * Uses the caller's transaction if there is one.
     */
    conclude(target: TargetEntry, delivery: DeliveryRow, concluded: Concluded): Effect.Effect<TargetEntry | undefined>
    /** Releases the lease. A target without pending deliveries is not due before one is added. */
    release(target: TargetEntry): Effect.Effect<void>
    /** The deliveries of a target in a state or in any, newest first, below the number `after`. */
    page(
      targetId: string,
      after: number | undefined,
      limit: number,
      state?: DeliveryRow["state"]
    ): Effect.Effect<ReadonlyArray<DeliveryRow>>
    count(targetId: string, state?: DeliveryRow["state"]): Effect.Effect<number>
    /** The events that the tenant's e-mail integrations, removed ones included, delivered since that moment. */
    mailed(projectId: string, since: DateTime.Utc): Effect.Effect<number>
    /** Gives up the pending deliveries of disabled targets, {@link atOnce} at most, and returns how many they were. */
    readonly giveUp: Effect.Effect<number>
    /** Deletes at most {@link atOnce} deliveries that were added before that moment. Returns how many it deleted. */
    prune(before: DateTime.Utc): Effect.Effect<number>
    readonly backlog: Effect.Effect<Backlog>
  }
>()("portico/store/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { json } = sql
      const targets = rowsOf(TargetEntry)
      const deliveries = rowsOf(DeliveryRow)
      const waiting = rowsOf(WaitingRow)
      const backlog = rowsOf(BacklogRow)
      const known = rowsOf(Known)
      const { after, now } = momentsOf(sql)
      const columns = targetColumns(sql)
      const changes = changesOf(sql, ["failures_in_a_row", "failing_since"])
      const leased = leasedOf(sql, { table: "targets", key: "target_id", due: "due_at", time: deliveryLease })
      const { own, released, renewed, taken } = leased
      const inState = (state: DeliveryRow["state"] | undefined) =>
        state === undefined ? sql`` : sql`AND deliveries.state = ${state}`
      const isDue = sql`state = 'active' AND ${leased.isDue}`
      const delivery = sql`
        deliveries.number::float8 AS number, deliveries.delivery_id, deliveries.target_id, deliveries.event_id,
        deliveries.topic, deliveries.kind, deliveries.again, deliveries.state, deliveries.attempts,
        deliveries.given_up, deliveries.created_at, deliveries.finished_at`

      const conclude = Effect.fnUntraced(function* (target: TargetEntry, row: DeliveryRow, _: Concluded) {
        const { delivery_id } = row
        const pause = after(_.pause)
        if (isEventMail(target, row, _)) yield* sql`INSERT INTO event_mails (project_id) VALUES (${target.project_id})`
        const held = yield* targets.first(sql`
          UPDATE targets SET due_at = ${pause}, rests_until = ${_.rests ? pause : null},
            ${sql.csv([...changes(_), renewed])}
          WHERE ${own(target)} RETURNING ${columns}`)
        if (held === undefined) return undefined
        // A delivery that was given up meanwhile stays so, unless it did arrive.
        const counts = sql`(state = 'pending' OR ${_.state} = 'delivered')`
        yield* sql`
          UPDATE deliveries SET attempts = attempts || ${json(_.attempt === undefined ? [] : [_.attempt])},
            state = CASE WHEN ${counts} THEN ${_.state} ELSE state END,
            given_up = CASE WHEN ${counts} THEN ${_.given_up}::text ELSE given_up END,
            finished_at = CASE WHEN ${counts} AND ${_.state} = 'pending' THEN NULL ELSE ${now} END
          WHERE delivery_id = ${delivery_id}::uuid`
        return held
      })

      const again = Effect.fnUntraced(function* (_: NewDelivery) {
        const [woken] = yield* sql`
          UPDATE targets SET due_at = COALESCE(due_at, ${now})
          WHERE state = 'active' AND target_id = ${_.target_id} RETURNING 1`
        if (woken === undefined) return undefined
        // Behind the lock of the target a statement of its own sees what others have added or concluded meanwhile.
        return yield* deliveries.one(sql`
          WITH waiting AS (
            SELECT * FROM deliveries
            WHERE target_id = ${_.target_id} AND event_id = ${_.event_id}::uuid AND again AND state = 'pending' LIMIT 1
          ), added AS (
            INSERT INTO deliveries (target_id, event_id, topic, kind, again, created_at)
            SELECT ${_.target_id}, ${_.event_id}::uuid, ${_.topic}, ${_.kind}, ${_.again}, ${now}
            WHERE NOT EXISTS (SELECT 1 FROM waiting)
            RETURNING *
          )
          SELECT ${delivery} FROM (SELECT * FROM waiting UNION ALL SELECT * FROM added) AS deliveries`)
      })

      const release = Effect.fnUntraced(function* (target: TargetEntry) {
        // A caller that adds a delivery updates this row too. Behind the lock its delivery is either visible here, or
        // its update comes later.
        const [held] = yield* sql`SELECT 1 FROM targets WHERE ${own(target)} FOR NO KEY UPDATE`
        if (held === undefined) return
        yield* sql`
          UPDATE targets SET ${released(sql`CASE
            WHEN EXISTS (SELECT 1 FROM deliveries WHERE deliveries.target_id = targets.target_id
              AND deliveries.state = 'pending') OR rests_until > ${now} THEN due_at END`)}
          WHERE ${own(target)}`
      })

      return Deliveries.of({
        add: (rows) =>
          rows.length === 0
            ? Effect.succeed(0)
            : countOf(sql`
                  WITH given AS (
                    SELECT * FROM ROWS FROM (jsonb_to_recordset(${json(rows)})
                      AS (target_id text, event_id uuid, topic text, kind text, again boolean)
                    ) WITH ORDINALITY AS given (target_id, event_id, topic, kind, again, place)
                  ), woken AS (
                    UPDATE targets SET due_at = COALESCE(due_at, ${now})
                    WHERE state = 'active' AND target_id IN (SELECT target_id FROM given)
                    RETURNING target_id
                  ), added AS (
                    INSERT INTO deliveries (target_id, event_id, topic, kind, again, created_at)
                    SELECT target_id, event_id, topic, kind, again, ${now}
                    FROM given JOIN woken USING (target_id) ORDER BY place
                    ON CONFLICT (target_id, event_id) WHERE NOT again DO NOTHING
                    RETURNING number
                  ) SELECT count(*)::int AS count FROM added`),
        addSent: (_, attempt) =>
          Effect.asVoid(
            Effect.orDie(sql`
              INSERT INTO deliveries (target_id, event_id, topic, kind, again, state, attempts, created_at, finished_at)
              SELECT target_id, ${_.event_id}::uuid, ${_.topic}, ${_.kind}, ${_.again},
                ${attempt.error === null ? "delivered" : "failed"}, ${json([attempt])}, ${now}, ${now}
              FROM targets WHERE target_id = ${_.target_id}`)
          ),
        again: (row) => Effect.orDie(sql.withTransaction(again(row))),
        event: (projectId, eventId) =>
          known.first(sql`
            SELECT topic, envelope->>'kind' AS kind FROM events
            WHERE id = ${eventId}::uuid AND project_id = ${projectId}`),
        claim: (lane, limit) =>
          targets.rows(sql`
            WITH due AS (
              SELECT target_id, served_at, row_number() OVER (PARTITION BY project_id ORDER BY served_at) AS turn
              FROM targets
              WHERE ${isDue} AND ${lane === "sound" ? sql`failures_in_a_row = 0` : sql`failures_in_a_row > 0`}
            ), chosen AS (
              SELECT target_id FROM targets JOIN due USING (target_id)
              WHERE ${isDue}
              ORDER BY due.turn, due.served_at LIMIT ${limit} FOR NO KEY UPDATE OF targets SKIP LOCKED
            )
            UPDATE targets SET ${taken}, served_at = ${now}
            WHERE target_id IN (SELECT target_id FROM chosen)
            RETURNING ${columns}`),
        next: ({ target_id }) =>
          Effect.map(
            waiting.first(sql`
              SELECT ${delivery}, events.envelope FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id
              WHERE deliveries.target_id = ${target_id} AND deliveries.state = 'pending'
              ORDER BY deliveries.number LIMIT 1`),
            (found) => {
              if (found === undefined) return undefined
              const { envelope, ...row } = found
              return { delivery: row, envelope } satisfies Waiting
            }
          ),
        conclude: (target, row, concluded) => Effect.orDie(sql.withTransaction(conclude(target, row, concluded))),
        release: (target) => Effect.orDie(sql.withTransaction(release(target))),
        page: (targetId, beyond, limit, state) =>
          deliveries.rows(sql`
            SELECT ${delivery} FROM deliveries
            WHERE target_id = ${targetId} ${inState(state)}
              ${beyond === undefined ? sql`` : sql`AND number < ${beyond}::float8::bigint`}
            ORDER BY deliveries.number DESC LIMIT ${limit}`),
        count: (targetId, state) =>
          countOf(sql`SELECT count(*)::int AS count FROM deliveries WHERE target_id = ${targetId} ${inState(state)}`),
        mailed: (projectId, since) =>
          countOf(sql`
            SELECT count(*)::int AS count FROM event_mails
            WHERE project_id = ${projectId} AND at > ${DateTime.toDateUtc(since)}`),
        giveUp: givingUp(sql)(sql`
          SELECT waiting.number FROM targets CROSS JOIN LATERAL (
            SELECT number FROM deliveries
            WHERE deliveries.target_id = targets.target_id AND deliveries.state = 'pending'
            ORDER BY number LIMIT ${atOnce}
          ) AS waiting WHERE targets.state = 'disabled' LIMIT ${atOnce}`),
        prune: (before) =>
          countOf(sql`
            WITH mails AS (DELETE FROM event_mails WHERE at < ${DateTime.toDateUtc(before)}),
              old AS (DELETE FROM deliveries WHERE number IN (
                SELECT number FROM deliveries WHERE created_at < ${DateTime.toDateUtc(before)} LIMIT ${atOnce}
              ) RETURNING number)
            SELECT count(*)::int AS count FROM old`),
        backlog: backlog.one(sql`
          SELECT count(*)::int AS waiting, min(created_at) AS oldest FROM deliveries WHERE state = 'pending'`)
      })
    })
  )
}

/** Whether this conclusion means that an event went out by mail. It counts even if the target was removed meanwhile. */
export const isEventMail = (
  { kind }: Pick<TargetEntry, "kind">,
  row: Pick<DeliveryRow, "kind">,
  { state }: Pick<Concluded, "state">
): boolean => kind === "email" && state === "delivered" && !row.kind.endsWith(".ping")

const Known = Schema.Struct({ topic: Schema.String, kind: Schema.String })
type Known = typeof Known.Type

const WaitingRow = Schema.Struct({ ...DeliveryRow.fields, envelope: Schema.NullOr(Schema.JsonObject) })

const BacklogRow = Schema.Struct({ waiting: Schema.Int, oldest: Schema.NullOr(moment) })
