import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Paged lists with counters, rotation, and usage counts of credentials. */
export const usage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE credentials
      -- the credential that this one was made to replace
      ADD COLUMN rotates text,
      -- the credential that replaces this one, and when this one ends for that
      ADD COLUMN rotated_to text,
      ADD COLUMN revokes_at timestamptz(3),
      -- until when somebody is at work on ending it
      ADD COLUMN retire_ends timestamptz(3)`
  // A credential has at most one successor. A rotation that was cut short leaves no row.
  yield* sql`CREATE UNIQUE INDEX credentials_rotates ON credentials (rotates) WHERE rotates IS NOT NULL`
  yield* sql`
    CREATE INDEX credentials_retiring ON credentials (revokes_at) WHERE revokes_at IS NOT NULL AND state <> 'revoked'`

  // The pages of a list, without and with revoked credentials; of one project, and of all projects.
  for (const [of, columns] of [
    ["project", sql`project_id, created_at, credential_id`],
    ["all", sql`created_at, credential_id`]
  ] as const) {
    yield* sql`
      CREATE INDEX ${sql(`credentials_page_of_${of}`)} ON credentials (${columns})
      WHERE kind <> 'member' AND state <> 'minting' AND state <> 'revoked'`
    yield* sql`
      CREATE INDEX ${sql(`credentials_whole_page_of_${of}`)} ON credentials (${columns})
      WHERE kind <> 'member' AND state <> 'minting'`
  }

  yield* sql`
    CREATE TABLE record_counts (
      -- empty for what belongs to no project
      project_id text NOT NULL,
      kind text NOT NULL,
      state text NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (project_id, kind, state)
    )`
  yield* counted("credentials", {
    rows: "project_id, kind, state",
    // A running mint is not listed.
    which: "WHERE state <> 'minting'"
  })
  yield* counted("tenants", { rows: "'' AS project_id, 'tenant' AS kind, 'live' AS state", which: "" })

  yield* sql`
    CREATE TABLE credential_usage (
      credential_id text PRIMARY KEY REFERENCES credentials ON DELETE CASCADE,
      call_count bigint NOT NULL,
      last_call_at timestamptz(3) NOT NULL
    )`
  yield* sql`
    CREATE TABLE usage_cursors (
      topic text PRIMARY KEY,
      -- the last event that is in credential_usage
      sequence bigint NOT NULL
    )`
  yield* sql`INSERT INTO usage_cursors (topic, sequence) VALUES ('api.audit', 0), ('agent.actions', 0)`
})

/**
 * Maintains the counts of a table's rows in `record_counts` by statement-level
 * triggers, however many rows a statement changes. A statement that changes no
 * count, such as an update of the last use, writes nothing.
 */
const counted = Effect.fnUntraced(function* (
  table: "credentials" | "tenants",
  { rows, which }: { readonly rows: string; readonly which: string }
) {
  const sql = yield* SqlClient.SqlClient
  const changes = {
    insert: { transition: "NEW TABLE AS added", parts: [["added", 1]], after: "" },
    update: {
      transition: "OLD TABLE AS gone NEW TABLE AS added",
      parts: [
        ["added", 1],
        ["gone", -1]
      ],
      after: ""
    },
    delete: {
      transition: "OLD TABLE AS gone",
      parts: [["gone", -1]],
      // Deletes the zero counts of a removed project.
      after: `DELETE FROM record_counts WHERE count = 0 AND project_id IN (SELECT project_id FROM (SELECT ${rows} FROM gone) AS of);`
    }
  } as const
  for (const [event, { after, parts, transition }] of Object.entries(changes)) {
    const changed = parts.map(([from, by]) => `SELECT ${rows}, ${by} AS change FROM ${from} ${which}`)
    yield* sql.unsafe(`
      CREATE FUNCTION count_${table}_${event}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        -- In one order, so that two statements never wait for each other.
        INSERT INTO record_counts AS held (project_id, kind, state, count)
        SELECT project_id, kind, state, sum(change) FROM (${changed.join(" UNION ALL ")}) AS changes
        GROUP BY project_id, kind, state HAVING sum(change) <> 0 ORDER BY project_id, kind, state
        ON CONFLICT (project_id, kind, state) DO UPDATE SET count = held.count + EXCLUDED.count;
        ${after}
        RETURN NULL;
      END $$`)
    yield* sql.unsafe(`
      CREATE TRIGGER count_${event} AFTER ${event} ON ${table} REFERENCING ${transition}
      FOR EACH STATEMENT EXECUTE FUNCTION count_${table}_${event}()`)
  }
  yield* sql.unsafe(`
    INSERT INTO record_counts (project_id, kind, state, count)
    SELECT project_id, kind, state, count(*) FROM (SELECT ${rows} FROM ${table} ${which}) AS there
    GROUP BY project_id, kind, state`)
})
