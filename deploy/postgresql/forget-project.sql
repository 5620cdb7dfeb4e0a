-- Forgets a tenant whose project the platform does not have any more, because it was deleted after the backup that was
-- restored:
--   psql "$DATABASE_URL" -X -v ON_ERROR_STOP=1 -v project_id=… -f deploy/postgresql/forget-project.sql
-- Its credentials stay as revoked ones, and its account ends with its last project, as after a deletion.
BEGIN;
SELECT account_n AS account FROM tenants WHERE project_id = :'project_id' \gset
DELETE FROM autoscaling_groups WHERE project_id = :'project_id';
DELETE FROM alarms WHERE project_id = :'project_id';
DELETE FROM targets WHERE project_id = :'project_id';
DELETE FROM edge_exposures WHERE project_id = :'project_id';
DELETE FROM edge_claims WHERE project_id = :'project_id';
DELETE FROM workload_issuers WHERE project_id = :'project_id';
DELETE FROM policies WHERE project_id = :'project_id';
DELETE FROM organisation_units WHERE project_id = :'project_id';
DELETE FROM agent_settings WHERE project_id = :'project_id';
DELETE FROM agent_plans WHERE project_id = :'project_id';
DELETE FROM purges WHERE project_id = :'project_id';
DELETE FROM credentials WHERE project_id = :'project_id' AND kind = 'member';
UPDATE credentials SET state = 'revoked', held = '[]', revoked_at = COALESCE(revoked_at, now()), ou = NULL
WHERE project_id = :'project_id' AND kind <> 'member';
DELETE FROM tenants WHERE project_id = :'project_id' RETURNING slug AS forgotten;
UPDATE accounts SET state = 'destroyed', destroyed_at = now(), destroyed_projects = to_jsonb(ARRAY[:'project_id'])
WHERE number = :account AND state <> 'destroyed' AND NOT EXISTS (SELECT FROM tenants WHERE account_n = :account);
COMMIT;
