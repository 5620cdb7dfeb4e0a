import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The maker of a credential or workload token, so that its rights never exceed the maker's and end with them. */
export const makers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE credentials
      -- the credential, membership or workload token (by its hash) that made it; null for one that no record made
      ADD COLUMN made_by text`
  yield* sql`ALTER TABLE workload_tokens ADD COLUMN made_by text`

  yield* ofBefore

  yield* sql`CREATE INDEX credentials_made_by ON credentials (made_by) WHERE made_by IS NOT NULL`
  yield* sql`CREATE INDEX workload_tokens_made_by ON workload_tokens (made_by) WHERE made_by IS NOT NULL`

  // A change of a maker affects all that it made. So every process is notified, whichever statement makes the change.
  // The channel and the payload are those of Credentials.ts.
  yield* sql.unsafe(`
    CREATE FUNCTION tell_made() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM credentials WHERE made_by = OLD.credential_id)
        OR EXISTS (SELECT FROM workload_tokens WHERE made_by = OLD.credential_id) THEN
        PERFORM pg_notify('portico_credentials', 'everybody in ' || OLD.project_id);
      END IF;
      RETURN NULL;
    END $$`)
  yield* sql`
    CREATE TRIGGER tell_made AFTER DELETE OR UPDATE OF
      tier, state, role, billing_access, networks, ou, expires_at, revokes_at, made_by, user_id
    ON credentials FOR EACH ROW EXECUTE FUNCTION tell_made()`
})

/** Sets the makers of existing records. */
export const ofBefore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The nearest maker in a chain that still works. A successor that its own predecessor made takes the predecessor's
  // place. A maker that had ended before sets no bound, or an upgrade would end keys that are in use. Neither does a
  // maker without a record: an operator, or a member who is gone, whose own credentials were revoked then.
  yield* sql`
    WITH RECURSIVE direct AS (
      SELECT made.credential_id, maker.credential_id AS maker,
        made.rotates IS NOT DISTINCT FROM maker.credential_id OR maker.state = 'revoked'
          OR maker.rotated_to IS NOT NULL OR COALESCE(maker.expires_at <= now(), false) AS skipped
      FROM credentials AS made JOIN credentials AS maker
        ON maker.user_id = made.created_by AND maker.project_id = made.project_id
        AND maker.credential_id <> made.credential_id
      WHERE made.kind <> 'member'),
    lineage AS (
      SELECT credential_id, maker, skipped, 1 AS depth FROM direct
      UNION ALL
      SELECT lineage.credential_id, direct.maker, COALESCE(direct.skipped, false), lineage.depth + 1
      FROM lineage LEFT JOIN direct ON direct.credential_id = lineage.maker
      WHERE lineage.skipped AND lineage.depth < 1000)
    UPDATE credentials SET made_by = lineage.maker FROM lineage
    WHERE lineage.credential_id = credentials.credential_id AND NOT lineage.skipped AND lineage.maker IS NOT NULL`

  // A credential ends no later than its maker. Revoked credentials are an audit trail and stay as they are.
  yield* sql`
    WITH RECURSIVE ends AS (
      SELECT credential_id, LEAST(expires_at, revokes_at) AS ends FROM credentials WHERE made_by IS NULL
      UNION ALL
      SELECT made.credential_id, LEAST(made.expires_at, ends.ends)
      FROM credentials AS made JOIN ends ON made.made_by = ends.credential_id)
    UPDATE credentials SET expires_at = ends.ends FROM ends
    WHERE ends.credential_id = credentials.credential_id AND made_by IS NOT NULL AND state <> 'revoked'
      AND ends.ends IS NOT NULL AND (expires_at IS NULL OR expires_at > ends.ends)`
})
