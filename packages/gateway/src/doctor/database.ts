import { innermost } from "@portico/domain/innermost"
import { client } from "@portico/store/Database"
import { keepsSessions, sharedSessions } from "@portico/store/fitness"
import { migrations } from "@portico/store/migrations"
import { Cause, Effect, Layer, Predicate } from "effect"
import { SqlClient } from "effect/sql"
import { type Check, failed, type Finding, ok, warning } from "./Check.ts"

interface Facts {
  readonly version: string
  readonly standby: boolean
  readonly read_only: boolean
  readonly may_create: boolean
  readonly migrated: boolean
  readonly tables: number
  readonly sessions: number
}

/** What the gateway needs of PostgreSQL, read in one statement. */
const facts = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Facts>`
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
      pg_is_in_recovery() AS standby,
      current_setting('transaction_read_only') = 'on' AS read_only,
      has_schema_privilege(current_schema(), 'CREATE') AS may_create,
      to_regclass('portico_migrations') IS NOT NULL AS migrated,
      (SELECT count(*)::int FROM pg_tables WHERE schemaname = current_schema()) AS tables,
      current_setting('max_connections')::int AS sessions`
)

const applied = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly name: string }>`SELECT migration_id || '_' || name AS name FROM portico_migrations`
)

/** `0001_tenants`, as the table has it: `1_tenants`. */
const known = Object.keys(migrations).map((_) => _.replace(/^0+/, ""))

/** SQLSTATE, or the code of the system call. */
const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : ""

const fixes: ReadonlyArray<readonly [RegExp, string]> = [
  [/^28/, "Correct the user, the password or sslmode in DATABASE_URL, or pg_hba.conf"],
  [
    /CERT|UNABLE_TO_VERIFY/,
    "Name the authority by sslrootcert in DATABASE_URL, or correct the host: docs/operators/postgresql.md, TLS"
  ],
  [/^3D/, "Create the database, or correct its name in DATABASE_URL"],
  [/^53300$/, "Raise max_connections, or lower DATABASE_CONNECTIONS"],
  [/^42501$/, "Grant the user of DATABASE_URL its own database"],
  [/^57P/, "Wait until PostgreSQL has started"]
]

const refused = (cause: Cause.Cause<unknown>): Finding => {
  const squashed = Cause.squash(cause)
  const error = squashed instanceof Error ? innermost(squashed) : squashed
  const fix = fixes.find(([pattern]) => pattern.test(codeOf(error)))?.[1]
  const words = error instanceof Error ? error.message : "the connection failed"
  return failed(`PostgreSQL: ${words}`, fix ?? "Look whether it runs, and whether DATABASE_URL is reached from here")
}

const judged = (
  { may_create, migrated, read_only, sessions, standby, tables, version }: Facts,
  names: ReadonlyArray<string>
): Finding => {
  const about = `PostgreSQL ${version}`
  if (standby || read_only) {
    const what = standby ? "it is a standby" : "its transactions are read-only"
    return failed(`${about}: ${what}, so nothing can be written`, "Name the primary in DATABASE_URL")
  }
  const pending = known.filter((_) => !names.includes(_))
  if (pending.length > 0 && !may_create) {
    return failed(
      `${about}: its user may not create tables, and ${pending.length} migrations are to be applied`,
      "Make the user the owner of the database, or GRANT CREATE ON SCHEMA"
    )
  }
  if (!migrated) {
    return tables > 0
      ? warning(
          `${about}: it has ${tables} tables, and none of them is Portico's`,
          "Look whether DATABASE_URL names the right database; a start makes its tables beside them"
        )
      : ok(`${about}, empty: the first start makes the tables; ${sessions} sessions at most`)
  }
  const newer = names.filter((_) => !known.includes(_))
  if (newer.length > 0) {
    return warning(
      `${about}: a newer release has applied ${newer.join(", ")}`,
      "Go on with that release, or read its notes on going back"
    )
  }
  return ok(
    pending.length === 0
      ? `${about}, at the schema of this release; ${sessions} sessions at most`
      : `${about}: a start will apply ${pending.length} migrations`
  )
}

/** Since when events wait for `fold_usage`, which takes each within a second or so. One look-up in an index. */
const waiting = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly since: Date }>`
    SELECT next.at AS since FROM usage_cursors AS cursor, LATERAL (
      SELECT at FROM events WHERE topic = cursor.topic AND sequence > cursor.sequence ORDER BY sequence LIMIT 1
    ) AS next
    WHERE next.at < now() - interval '5 minutes' ORDER BY next.at LIMIT 1`
)

/** The migration with the tables of {@link waiting}. */
const countsUsage = "6_usage"

const jobs = Effect.map(waiting, ([found]) =>
  found === undefined
    ? []
    : [
        warning(
          `no background jobs run: events have been waiting since ${found.since.toISOString()}`,
          "Start a replica with BACKGROUND_JOBS=here, or look into the log of the one that is to run them"
        )
      ]
)

const examined = Effect.gen(function* () {
  const [found] = yield* facts
  if (found === undefined) return [failed("PostgreSQL answers nothing", "Look at its log")]
  const names = found.migrated ? (yield* applied).map((_) => _.name) : []
  const finding = judged(found, names)
  if (found.standby || found.read_only) return [finding]
  if (yield* keepsSessions) return [finding, ...(names.includes(countsUsage) ? yield* jobs : [])]
  return [failed(`PostgreSQL ${found.version}: ${sharedSessions.detail}`, sharedSessions.fix)]
})

/** Whether PostgreSQL takes the gateway's login and its writes, and at which schema it is. Nothing is migrated. */
export const database: Check<never> = {
  name: "database",
  run: Effect.catchCause(Effect.provide(examined, Layer.fresh(client)), (cause) => Effect.succeed([refused(cause)]))
}
