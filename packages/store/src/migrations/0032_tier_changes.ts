import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What was sold and given back: each tenant that began, moved to another tier, or ended. */
export const tierChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE tier_changes (
      at timestamptz(3) NOT NULL DEFAULT statement_timestamp(),
      -- null for a tenant that began
      was text,
      -- null for a tenant that ended
      became text
    )`
  yield* sql`CREATE INDEX tier_changes_at ON tier_changes (at)`
  // Of the time before, only the beginnings of the tenants that are still there are known.
  yield* sql`INSERT INTO tier_changes (at, became) SELECT created_at, tier FROM tenants`
  yield* sql.unsafe(`
    CREATE FUNCTION record_tier_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        INSERT INTO tier_changes (became) VALUES (NEW.tier);
      ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO tier_changes (was) VALUES (OLD.tier);
      ELSIF OLD.tier <> NEW.tier THEN
        INSERT INTO tier_changes (was, became) VALUES (OLD.tier, NEW.tier);
      END IF;
      RETURN NULL;
    END $$`)
  yield* sql`
    CREATE TRIGGER record_tier_change AFTER INSERT OR DELETE OR UPDATE OF tier
    ON tenants FOR EACH ROW EXECUTE FUNCTION record_tier_change()`
})
