import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The exposures of tenants at the edge, and the domains that they have claimed. */
export const edge = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE edge_exposures (
      exposure_id text PRIMARY KEY,
      project_id text NOT NULL,
      name text NOT NULL,
      hostname text NOT NULL UNIQUE,
      service text,
      address text,
      port integer NOT NULL,
      domain text,
      -- the address is no longer one of the tenant's
      lost boolean NOT NULL DEFAULT false,
      -- why it is being removed; until it is, its domain stays claimed
      removing text,
      -- when it is looked at next
      due_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL,
      CHECK ((service IS NULL) <> (address IS NULL))
    )`
  yield* sql`CREATE UNIQUE INDEX edge_exposures_name ON edge_exposures (project_id, name) WHERE removing IS NULL`
  yield* sql`CREATE INDEX edge_exposures_page ON edge_exposures (project_id, created_at, exposure_id)`
  yield* sql`CREATE INDEX edge_exposures_due ON edge_exposures (due_at)`
  yield* sql`
    CREATE TABLE edge_claims (
      domain text NOT NULL,
      project_id text NOT NULL,
      -- null when it was released
      exposure_id text,
      challenge text NOT NULL,
      claimed_at timestamptz(3) NOT NULL,
      -- until then it keeps others from claiming
      held_until timestamptz(3),
      verified_at timestamptz(3),
      released_at timestamptz(3),
      PRIMARY KEY (domain, project_id)
    )`
  yield* sql`CREATE UNIQUE INDEX edge_claims_verified ON edge_claims (domain) WHERE verified_at IS NOT NULL`
  yield* sql`CREATE UNIQUE INDEX edge_claims_exposure ON edge_claims (exposure_id)`
  yield* sql`CREATE INDEX edge_claims_project ON edge_claims (project_id)`
  yield* sql`CREATE INDEX edge_claims_released ON edge_claims (released_at) WHERE released_at IS NOT NULL`
})
