import { Duration } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { momentsOf } from "./rows.ts"

/** The pause after a number of failures in a row. It doubles with each failure, from `first` up to `longest`. */
export const growingPause =
  ({ first, longest }: { readonly first: Duration.Duration; readonly longest: Duration.Duration }) =>
  (failures: number): Duration.Duration =>
    Duration.min(Duration.times(first, 2 ** Math.min(Math.max(failures - 1, 0), 20)), longest)

/** Where a table keeps its leases. */
export interface Leasing<Key extends string> {
  readonly table: string
  readonly key: Key
  /** How long a lease lasts, unless it is renewed. */
  readonly time: Duration.Duration
  /**
   * The column with the holder's UUID, drawn anew at each claim and null while
   * no process works on the row. Default `lease`. Null when the table has none:
   * then a claim guards no writes.
   */
  readonly holder?: string | null
  /** The column with the end of the lease. Default `lease_ends`. */
  readonly ends?: string
  /** The column with the time when a row is due. Without one it is due when its lease ends. */
  readonly due?: string
  /** The time that stands in for an empty `due`. Without one such a row is never due. */
  readonly otherwise?: Statement.Fragment
}

export interface Claiming {
  /** A further condition on the rows that are due. */
  readonly if?: Statement.Fragment
  readonly limit?: number
  /** The end of the lease, instead of the usual time. */
  readonly until?: Statement.Fragment
  /** Further assignments of the claim. */
  readonly set?: ReadonlyArray<Statement.Fragment>
}

/**
 * SQL fragments for rows that one process at a time works on, across all
 * replicas. A claim is one statement, so that replicas need neither a lock nor
 * a leader. The lease of a dead process blocks its rows until it ends. Then
 * another process may claim the row, and the late writes of the first one, all
 * of which carry `own`, change nothing.
 */
export const leasedOf = <Key extends string>(
  sql: SqlClient.SqlClient,
  { holder: holderName = "lease", ends: endsName = "lease_ends", ..._ }: Leasing<Key>
) => {
  const { after, now } = momentsOf(sql)
  const [table, key, ends, due] = [sql(_.table), sql(_.key), sql(endsName), sql(_.due ?? endsName)]
  const dueAt = _.otherwise === undefined ? due : sql`COALESCE(${due}, ${_.otherwise})`
  const holder = holderName === null ? undefined : sql(holderName)
  const usual = after(_.time)
  const isEnded = sql`${ends} <= ${now}`
  const isFree = sql`(${holder ?? ends} IS NULL OR ${isEnded})`
  const isDue = _.due === undefined ? isEnded : sql`${dueAt} <= ${now} AND ${isFree}`
  const taken = (until: Statement.Fragment = usual) =>
    sql.csv([...(holder === undefined ? [] : [sql`${holder} = gen_random_uuid()`]), sql`${ends} = ${until}`])

  return {
    taken: taken(),
    renewed: sql`${ends} = ${usual}`,
    isDue,
    /** True while no process works on the row, whether it is due or not. */
    isFree,
    /** Matches the row while this holder has the lease. */
    own: (row: { readonly [_ in Key]: string | number } & { readonly lease: string | null }) =>
      holder === undefined ? sql`false` : sql`${key} = ${row[_.key]} AND ${holder} = ${row.lease}::uuid`,
    /** Releases the lease. The row is due after the pause or at that time; undefined for never. */
    released: (next: Duration.Duration | Statement.Fragment | undefined) => {
      const at = Duration.isDuration(next) ? after(next) : (next ?? sql`NULL::timestamptz`)
      const gone = holder === undefined ? [] : [sql`${holder} = NULL`]
      if (_.due !== undefined) gone.push(sql`${ends} = NULL`)
      return sql.csv([...gone, sql`${due} = ${at}`])
    },
    /** Claims the rows that have been due longest. The caller adds RETURNING. */
    claim: ({ if: wanted = sql`true`, limit, set = [], until }: Claiming = {}) => sql`
        UPDATE ${table} SET ${sql.csv([taken(until), ...set])}
        WHERE ${key} IN (
          SELECT ${key} FROM ${table} WHERE ${isDue} AND ${wanted}
          ORDER BY ${dueAt} ${limit === undefined ? sql`` : sql`LIMIT ${limit}`} FOR NO KEY UPDATE SKIP LOCKED)`
  }
}
