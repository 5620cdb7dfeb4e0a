import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EventLog, EventRow, type NewEvent, storable } from "./EventLog.ts"
import { leasedOf } from "./leased.ts"
import { moment, momentsOf, rowsOf, run, some } from "./rows.ts"

const { sequence: _, ...eventFields } = EventRow.fields

/** A call under way. Its event says that nobody knows what came of it. */
export const AgentCallRow = Schema.Struct({
  ...eventFields,
  lease_ends: moment,
  overdue_since: Schema.NullOr(moment)
})
export type AgentCallRow = typeof AgentCallRow.Type

/** A process shows a sign of life within this time, or its calls are overdue. */
export const callLease = Duration.minutes(3)

/**
 * How long an overdue call still waits: a process that was only cut off from the database writes meanwhile what came of
 * the call. Longer than an attempt and the pause before it.
 */
export const overdueTime = Duration.seconds(90)

/** The most calls that one claim records. */
export const lostLimit = 200

/**
 * Tool calls of agents that change something, while they are under way. Each has its event from the beginning on, so
 * that a call whose process dies is recorded too. However it ends, the log gets one event of the call's id.
 */
export class AgentCalls extends Context.Service<
  AgentCalls,
  {
    /** Before the call acts. The event is appended if nothing else is ever known of the call. */
    begin(event: NewEvent): Effect.Effect<void>
    /** Extends the lease of a call that takes long. False when the call is not under way any more. */
    renew(id: string): Effect.Effect<boolean>
    /**
     * Ends the call and appends the event, both or neither; undefined for a call that leaves none. False when the call
     * was not under way: then nothing is appended.
     */
    end(id: string, event: NewEvent | undefined): Effect.Effect<boolean>
    /**
     * Appends the events of calls whose process has shown no sign of life for {@link callLease}, and was given
     * {@link overdueTime} since. Each is recorded once across all replicas. Returns how many.
     */
    readonly claimLost: Effect.Effect<number>
  }
>()("portico/store/AgentCalls") {
  static readonly layer = Layer.effect(
    AgentCalls,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const log = yield* EventLog
      const { rows } = rowsOf(Schema.Struct(eventFields))
      const { after, ago, now } = momentsOf(sql)
      const { isDue, renewed } = leasedOf(sql, { table: "agent_calls", key: "id", time: callLease, holder: null })

      const lost = Effect.gen(function* () {
        const events = yield* rows(sql`
          DELETE FROM agent_calls WHERE id IN (
            SELECT id FROM agent_calls WHERE overdue_since <= ${ago(overdueTime)}
            ORDER BY overdue_since, id LIMIT ${lostLimit} FOR UPDATE SKIP LOCKED)
          RETURNING id, topic, key, at, envelope`)
        yield* log.append(events)
        return events.length
      })

      return AgentCalls.of({
        begin: (event) => {
          const { at, envelope, id, key, topic } = storable(event)
          return run(sql`
            INSERT INTO agent_calls (id, topic, key, at, envelope, lease_ends)
            VALUES (${id}, ${topic}, ${key}, ${DateTime.toDateUtc(at)}, ${json(envelope)}, ${after(callLease)})`)
        },
        renew: (id) => some(sql`UPDATE agent_calls SET ${renewed}, overdue_since = NULL WHERE id = ${id} RETURNING id`),
        end: (id, event) =>
          Effect.orDie(
            sql.withTransaction(
              Effect.gen(function* () {
                const wasUnderWay = yield* some(sql`DELETE FROM agent_calls WHERE id = ${id} RETURNING id`)
                if (wasUnderWay && event !== undefined) yield* log.append([event])
                return wasUnderWay
              })
            )
          ),
        claimLost: Effect.andThen(
          run(sql`
            UPDATE agent_calls SET overdue_since = ${now} WHERE id IN (
              SELECT id FROM agent_calls WHERE ${isDue} AND overdue_since IS NULL FOR UPDATE SKIP LOCKED)`),
          Effect.orDie(sql.withTransaction(lost))
        )
      })
    })
  ).pipe(Layer.provide(EventLog.layer))
}
