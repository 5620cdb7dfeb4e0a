import { Effect } from "effect"
import { sqlAt } from "../proxy/database.ts"

/** How much a store holds. */
export interface Size {
  readonly tenants: number
  /** Members, credentials, units and policies, so many of each, all of the tenant that is asked about. */
  readonly rows: number
}

/**
 * The rows that onboardings, invitations, mints and writes of policies would
 * leave behind, in a schema that a gateway has made. The oldest members are
 * those people, whom the identity provider knows.
 */
export const seed = Effect.fnUntraced(function* (
  url: string,
  projectId: string,
  people: ReadonlyArray<string>,
  { rows, tenants }: Size
) {
  const sql = yield* sqlAt(url)
  yield* sql`
      INSERT INTO tenants (project_id, slug, name, tier, stamp)
      SELECT lpad(to_hex(n), 32, '0'), 'bench-' || n, 'Bench ' || n, 'standard', 'portico-attempt:bench-' || n
      FROM generate_series(1, ${tenants - 1}::int) n`
  // The other tenants hold some too, as they would.
  yield* sql`
      INSERT INTO credentials (credential_id, project_id, user_id, kind, tier, label, state, client_id, created_by, created_at)
      SELECT 'cred-' || lpad(to_hex(n), 12, '0'),
        CASE WHEN n < ${rows}::int THEN ${projectId} ELSE lpad(to_hex(1 + n % ${tenants - 1}::int), 32, '0') END,
        'bench-user-' || n, 'api-key', 1, 'bench ' || n, 'active', 'bench-' || n, 'bench', now() - n * interval '1 second'
      FROM generate_series(0, ${2 * rows - 1}::int) n`
  yield* sql`
      INSERT INTO credentials
        (credential_id, project_id, user_id, kind, tier, label, state, client_id, created_by, created_at, role, email, display_name)
      SELECT 'member-' || n, ${projectId}, COALESCE((${people}::text[])[n + 1], 'bench-person-' || n), 'member', 2,
        'p' || n || '@bench.example', 'active', '', 'bench', now() - interval '1 day' + n * interval '1 second',
        'customer', 'p' || n || '@bench.example', 'Person ' || n
      FROM generate_series(0, ${rows - 1}::int) n`
  // A hundred units in a row below each other's siblings: a wide tree of depth three.
  yield* sql`
      INSERT INTO organisation_units (project_id, path, parent, id, created_by)
      SELECT ${projectId}, path, parent, path, 'bench' FROM (
        SELECT 'top' AS path, NULL AS parent
        UNION ALL SELECT 'top.u' || n, 'top' FROM generate_series(0, ${rows / 100 - 1}::int) n
        UNION ALL SELECT 'top.u' || n % ${rows / 100}::int || '.v' || n, 'top.u' || n % ${rows / 100}::int
          FROM generate_series(0, ${rows - rows / 100 - 2}::int) n) AS units`
  yield* sql`
      INSERT INTO policies (project_id, ou, id, max_tier, denies, updated_by)
      SELECT project_id, path, path, 2, '["dns:destroy"]', 'bench' FROM organisation_units WHERE project_id = ${projectId}`
  for (const table of ["tenants", "credentials", "organisation_units", "policies"]) {
    // By hand what the server would else do by itself in the middle of a measurement.
    yield* sql`VACUUM ANALYZE ${sql(table)}`
  }
}, Effect.scoped)
