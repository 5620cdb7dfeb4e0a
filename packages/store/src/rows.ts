import type { PgClient } from "@effect/sql-pg"
import { DateTime, Duration, Effect, Predicate, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** A `timestamptz` column. */
export const moment = Schema.DateTimeUtcFromDate

/** A `jsonb` column with an object. PostgreSQL guarantees valid JSON, so reading does not validate it in depth. */
export const storedJson = Schema.declare((value): value is Schema.JsonObject => Predicate.isObject(value))

/** Runs queries whose rows have this shape. A failing database or a row of another shape is a defect. */
export const rowsOf = <A, I>(row: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  const rows = <E>(query: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<ReadonlyArray<A>> =>
    Effect.orDie(Effect.flatMap(Effect.orDie(query), decode))
  return {
    rows,
    first: <E>(query: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<A | undefined> =>
      Effect.map(rows(query), (_) => _[0]),
    /** A lookup by an id that a client chose. PostgreSQL text holds no NUL, so no row has such an id. */
    byId: <E>(id: string, query: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<A | undefined> =>
      id.includes("\0") ? Effect.undefined : Effect.map(rows(query), (_) => _[0]),
    one: <E>(query: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<A> =>
      Effect.orDie(Effect.flatMap(rows(query), (_) => Effect.fromNullishOr(_[0])))
  }
}

/** Runs a statement for its effect. */
export const run = <E>(statement: Effect.Effect<unknown, E>): Effect.Effect<void> =>
  Effect.asVoid(Effect.orDie(statement))

const counted = rowsOf(Schema.Struct({ count: Schema.Int }))

/** The `count` of a query with one row. */
export const countOf = <E>(query: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<number> =>
  Effect.map(counted.one(query), (_) => _.count)

/** Whether a query finds a row, or a change with RETURNING affects one. */
export const some = <E>(query: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<boolean> =>
  Effect.map(Effect.orDie(query), (_) => _.length > 0)

/**
 * Time by the database server's clock, the same for all replicas. Not `now()`,
 * which is the start of the transaction: the transaction may have waited for a
 * lock since. Truncated to the millisecond, because columns round to it: a row
 * that is due at once would otherwise be due in the next millisecond.
 */
export const momentsOf = (sql: SqlClient.SqlClient) => {
  const now = sql`date_trunc('milliseconds', statement_timestamp())`
  return {
    now,
    after: (duration: Duration.Duration) => sql`${now} + ${Duration.toSeconds(duration)} * interval '1 second'`,
    ago: (duration: Duration.Duration) => sql`${now} - ${Duration.toSeconds(duration)} * interval '1 second'`
  }
}

interface Page {
  readonly limit: number
  readonly after: { readonly at: number; readonly id: string | number } | undefined
}

/**
 * The end of a WHERE clause with ORDER BY and LIMIT: a page, oldest first, and
 * one row more.
 *
 * @param key the column that orders rows of one time
 * @param time the column with the time
 */
export const sqlPage = (sql: SqlClient.SqlClient, key: string, { after, limit }: Page, time = "created_at") => {
  const behind =
    after === undefined
      ? sql`true`
      : sql`(${sql(time)}, ${sql(key)}) > (${DateTime.toDateUtc(DateTime.makeUnsafe(after.at))}, ${after.id})`
  return sql`${behind} ORDER BY ${sql(time)}, ${sql(key)} LIMIT ${limit + 1}`
}

/**
 * Columns that wait for a lock of this name and keep it until the transaction ends. A process that stands still in the
 * middle of the transaction loses the lock: PostgreSQL ends its session after 30 seconds without a statement. Otherwise
 * every other replica would wait for as long as the machine of that process is frozen.
 */
export const advisoryLock = (sql: SqlClient.SqlClient, what: string, name?: string) => sql`
  set_config('idle_in_transaction_session_timeout', '30s', true),
  pg_advisory_xact_lock(${name === undefined ? sql`hashtext(${what})` : sql`hashtext(${what}), hashtext(${name})`})`

/** Runs changes in one transaction, after those of other transactions under the same name. */
export const lockedIn =
  (sql: SqlClient.SqlClient, what: string) =>
  <A, E>(name: string, change: Effect.Effect<A, E>): Effect.Effect<A> =>
    Effect.orDie(sql.withTransaction(Effect.andThen(sql`SELECT ${advisoryLock(sql, what, name)}`, change)))

/**
 * Assignments for SET, one per defined value of these columns; undefined
 * leaves the column unchanged. Objects and arrays become JSON.
 */
export const changesOf =
  <Column extends string>(sql: PgClient.PgClient, columns: ReadonlyArray<Column>) =>
  (values: { readonly [_ in Column]?: unknown }): ReadonlyArray<Statement.Fragment> =>
    columns.flatMap((column) => {
      const value = values[column]
      if (value === undefined) return []
      if (DateTime.isDateTime(value)) return [sql`${sql(column)} = ${DateTime.toDateUtc(value)}`]
      return [sql`${sql(column)} = ${Predicate.isObjectOrArray(value) ? sql.json(value) : value}`]
    })

/**
 * The most rows that one statement changes or removes of a table that grows without a bound. PostgreSQL cancels a request's
 * statement after five seconds, and a job's after a minute: a few million rows in one statement would stay for good.
 */
export const atOnce = 10_000
