import { Duration } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { momentsOf } from "./rows.ts"

/** The pause after so many failures in a row: it doubles with each, from the first one's up to the longest. */
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
  /** The column with a UUID that each claim draws anew, null while no process works on the row: `lease`. With none at all, a claim has no writes to guard. */
  readonly holder?: string | null
  /** The column with the end of the lease: `lease_ends`. */
  readonly ends?: string
  /** The column with the moment when a row is due. Without one it is due when its lease ends. */
  readonly due?: string
}

export interface Claiming {
  /** Of those that are due. */
  readonly if?: Statement.Fragment
  readonly limit?: number
  /** When the lease ends, if not after its usual time. */
  readonly until?: Statement.Fragment
  /** What is written with the claim. */
  readonly set?: ReadonlyArray<Statement.Fragment>
}

/**
 * Rows that one process at a time works on, over all replicas: the parts of
 * their statements. A claim is one statement, so that replicas need neither a
 * lock nor a leader. A process that dies keeps the others from its rows until
 * the lease ends. Then the row is another one's, and the writes of the first
 * one, all of which say `own`, change nothing.
 */
export const leasedOf = <Key extends string>(
  sql: SqlClient.SqlClient,
  { holder: holderName = "lease", ends: endsName = "lease_ends", ..._ }: Leasing<Key>
) => {
  const { after, now } = momentsOf(sql)
  const [table, key, ends, due] = [sql(_.table), sql(_.key), sql(endsName), sql(_.due ?? endsName)]
  const holder = holderName === null ? undefined : sql(holderName)
  const usual = after(_.time)
  const isEnded = sql`${ends} <= ${now}`
  const isFree = sql`(${holder ?? ends} IS NULL OR ${isEnded})`
  const isDue = _.due === undefined ? isEnded : sql`${due} <= ${now} AND ${isFree}`
  const taken = (until: Statement.Fragment = usual) =>
    sql.csv([...(holder === undefined ? [] : [sql`${holder} = gen_random_uuid()`]), sql`${ends} = ${until}`])

  return {
    taken: taken(),
    renewed: sql`${ends} = ${usual}`,
    isDue,
    /** Whether no process works on the row, be it due or not. */
    isFree,
    /** The row of this holder, as long as the lease is its own. */
    own: (row: { readonly [_ in Key]: string } & { readonly lease: string | null }) =>
      holder === undefined ? sql`false` : sql`${key} = ${row[_.key]} AND ${holder} = ${row.lease}::uuid`,
    /** The lease goes, and the row is due after the pause, or at that moment; never again at none. */
    released: (next: Duration.Duration | Statement.Fragment | undefined) => {
      const at = Duration.isDuration(next) ? after(next) : (next ?? sql`NULL::timestamptz`)
      // Columns round to the millisecond, and what is due at once must not be due in one that is still to come.
      const gone = holder === undefined ? [] : [sql`${holder} = NULL`]
      if (_.due !== undefined) gone.push(sql`${ends} = NULL`)
      return sql.csv([...gone, sql`${due} = date_trunc('milliseconds', ${at})`])
    },
    /** Takes the rows that are due longest; RETURNING is for the caller to add. */
    claim: ({ if: wanted = sql`true`, limit, set = [], until }: Claiming = {}) => sql`
        UPDATE ${table} SET ${sql.csv([taken(until), ...set])}
        WHERE ${key} IN (
          SELECT ${key} FROM ${table} WHERE ${isDue} AND ${wanted}
          ORDER BY ${due} ${limit === undefined ? sql`` : sql`LIMIT ${limit}`} FOR NO KEY UPDATE SKIP LOCKED)`
  }
}
