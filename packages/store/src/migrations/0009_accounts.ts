import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The accounts that own the tenants, and the progress of their closing. Each existing tenant gets an account. */
export const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE accounts (
      -- drawn once and never again: rows are not deleted, and a number that was drawn in vain is skipped
      number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      state text NOT NULL DEFAULT 'open',
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      -- which closing it is: what an earlier one has put on its way means nothing any more
      closure uuid,
      window_days integer,
      closed_by text,
      closed_at timestamptz(3),
      reason text,
      closes_at timestamptz(3),
      -- the wake that destroys it; from then on nothing restores it
      destroyer text,
      -- why the destruction did not wait for the end of the window, and who said so
      finalized_by text,
      finalize_reason text,
      -- whether a process is destroying it or died while it was; not while it waits after a refusal
      trying boolean NOT NULL DEFAULT false,
      attempts integer NOT NULL DEFAULT 0,
      refusal text,
      refused_at timestamptz(3),
      destroyed_at timestamptz(3),
      -- the projects that it had, once it is destroyed
      destroyed_projects jsonb NOT NULL DEFAULT '[]'
    )`
  yield* sql`CREATE INDEX accounts_page ON accounts (created_at, number)`
  yield* sql`CREATE INDEX accounts_state ON accounts (state, created_at, number)`
  yield* sql`ALTER TABLE tenants ADD COLUMN account_n integer REFERENCES accounts`
  yield* sql`CREATE INDEX tenants_of_account ON tenants (account_n)`
  yield* sql`
    DO $$
    DECLARE tenant record; n integer;
    BEGIN
      FOR tenant IN SELECT project_id, name, created_at FROM tenants ORDER BY created_at, project_id LOOP
        INSERT INTO accounts (name, created_at) VALUES (tenant.name, tenant.created_at) RETURNING number INTO n;
        UPDATE tenants SET account_n = n WHERE project_id = tenant.project_id;
      END LOOP;
    END $$`
})
