import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { migrations } from "../../src/migrations.ts"

type Migration = (typeof migrations)[keyof typeof migrations]

interface Held {
  readonly name: string
  readonly file: number
  readonly locks: ReadonlyArray<string>
}

/** The tables there are, the file of each, and the locks that this transaction has on it. */
const held = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Held>`
    SELECT c.relname AS name, pg_relation_filenode(c.oid)::int8::float8 AS file,
      ARRAY(SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = c.oid AND granted ORDER BY mode) AS locks
    FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname`
})

/**
 * What a migration does to tables that were there before and are in use: it rewrites the whole table (the type of a
 * column changes, or a default is not constant), builds an index or a foreign key under a lock that lets nobody write,
 * or changes rows. What takes an exclusive lock for a moment, as a new nullable column does, is not listed.
 */
export const lockedBy = (migration: Migration) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        const before = new Map((yield* held).filter((_) => _.name !== "portico_migrations").map((_) => [_.name, _]))
        yield* migration
        return (yield* held).flatMap(({ file, locks, name }) => {
          const was = before.get(name)
          if (was === undefined) return []
          return [
            ...(was.file === file ? [] : [`rewrites ${name}`]),
            ...(locks.includes("ShareLock") ? [`builds an index on ${name}`] : []),
            ...(locks.includes("ShareRowExclusiveLock") ? [`adds a key or a trigger to ${name}`] : []),
            ...(locks.includes("RowExclusiveLock") ? [`changes rows of ${name}`] : [])
          ]
        })
      })
    )
  })

/**
 * What the migrations of before this check do. They have run wherever Portico is in use; a new one is not added here
 * without a reason, which the page for operators repeats: docs/operators/upgrading.md.
 */
export const known: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0005_people": [
    "rewrites credentials",
    "builds an index on credentials",
    "changes rows of credentials",
    "rewrites tenants",
    "builds an index on tenants"
  ],
  "0006_usage": [
    "builds an index on credentials",
    "adds a key or a trigger to credentials",
    "adds a key or a trigger to tenants"
  ],
  "0008_projects": ["builds an index on tenants"],
  "0009_accounts": ["builds an index on tenants", "adds a key or a trigger to tenants"],
  "0010_members": ["builds an index on credentials", "changes rows of credentials", "changes rows of record_counts"],
  "0011_policy": ["builds an index on credentials"],
  "0020_events_of_project": ["rewrites events", "builds an index on events"],
  "0023_makers": [
    "builds an index on credentials",
    "adds a key or a trigger to credentials",
    "changes rows of credentials",
    "changes rows of record_counts",
    "builds an index on workload_tokens"
  ],
  "0025_accounts_due": ["builds an index on accounts", "changes rows of accounts"],
  "0027_agent_calls": ["adds a key or a trigger to credentials"],
  "0028_agents": ["builds an index on credentials"],
  "0031_unused_credentials": [
    "builds an index on credentials",
    "changes rows of credentials",
    "changes rows of record_counts"
  ],
  "0032_tier_changes": ["adds a key or a trigger to tenants"]
}
