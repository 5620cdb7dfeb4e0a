import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Organisation units and their policies. */
export const policy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE organisation_units (
      project_id text NOT NULL,
      -- dotted; the order of a list is that of its bytes
      path text COLLATE "C" NOT NULL,
      -- the path without its last label; null directly below the account
      parent text COLLATE "C",
      -- for pages: a path may be longer than a cursor
      id text COLLATE "C" NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      created_by text NOT NULL,
      PRIMARY KEY (project_id, path),
      FOREIGN KEY (project_id, parent) REFERENCES organisation_units (project_id, path)
    )`
  yield* sql`CREATE INDEX organisation_units_page ON organisation_units (project_id, created_at, id)`
  yield* sql`CREATE INDEX organisation_units_below ON organisation_units (project_id, parent)`
  yield* sql`
    CREATE TABLE policies (
      project_id text NOT NULL,
      -- empty for the whole account
      ou text COLLATE "C" NOT NULL,
      -- what has to be there
      unit text COLLATE "C" GENERATED ALWAYS AS (NULLIF(ou, '')) STORED,
      id text COLLATE "C" NOT NULL,
      max_tier smallint,
      denies jsonb NOT NULL DEFAULT '[]',
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_by text NOT NULL,
      PRIMARY KEY (project_id, ou),
      FOREIGN KEY (project_id, unit) REFERENCES organisation_units (project_id, path)
    )`
  yield* sql`CREATE INDEX policies_page ON policies (project_id, created_at, id)`
  yield* sql`CREATE INDEX credentials_of_unit ON credentials (project_id, ou) WHERE ou IS NOT NULL`
})
