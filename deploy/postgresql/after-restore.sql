-- For a database that was restored from a backup, before the first gateway starts on it:
--   psql "$DATABASE_URL" -X -v ON_ERROR_STOP=1 -f deploy/postgresql/after-restore.sql
-- docs/operators/backup.md has the reasons. It may run again as long as no gateway has run since.
BEGIN;

-- An onboarding that the backup caught half way may have been completed since. A start would roll it back, which removes
-- the tenant's project. The rows are listed, and forgotten; `portico-doctor --records` names the projects.
SELECT 'onboarding, forgotten' AS what, slug AS name, attempt_id AS id FROM onboardings ORDER BY started_at;
DELETE FROM onboardings;

-- The same for credentials and invitations that the backup caught half way: a start would remove their users.
SELECT CASE kind WHEN 'member' THEN 'invitation, forgotten' ELSE 'mint, forgotten' END AS what, label AS name, user_id AS id
FROM credentials WHERE state = 'minting' ORDER BY created_at;
DELETE FROM credentials WHERE state = 'minting';

-- A deletion may have been cancelled since. It stops here; POST /v1/tenants/{project_id}/deletion/cancel takes it back,
-- and UPDATE purges SET lease_ends = now() lets it go on.
SELECT 'deletion, halted' AS what, project_id AS name, state AS id FROM purges
WHERE lease_ends IS NOT NULL AND reason = 'project_deletion';
UPDATE purges SET lease = NULL, lease_ends = '2999-01-01' WHERE lease_ends IS NOT NULL AND reason = 'project_deletion';

-- Those of a closing account begin again when it is destroyed, and never when it is reopened.
UPDATE purges SET state = 'cancelled', lease = NULL, lease_ends = NULL
WHERE lease_ends IS NOT NULL AND reason = 'account_closure';

-- A closing account may have been reopened since. It gets 30 days, and no destruction: reopen it, or finalize it with a
-- reason.
SELECT 'closing, halted' AS what, name, number::text AS id FROM accounts WHERE state = 'closing';
UPDATE accounts SET closes_at = GREATEST(closes_at, now() + interval '30 days'), due_at = '2999-01-01', destroyer = NULL,
  finalized_by = NULL, finalize_reason = NULL, lease = NULL, lease_ends = NULL
WHERE state = 'closing';

\ir skip-numbers.sql

-- A session of the console may have been ended since. All of them end, and gateways revoke their tokens. A backup of a
-- release before 0.39 has none.
DO $$ BEGIN
  IF to_regclass('console_sessions') IS NOT NULL THEN
    UPDATE console_sessions SET ended_at = COALESCE(ended_at, now()), lease = NULL, lease_ends = NULL,
      due_at = CASE WHEN sealed = '' THEN NULL ELSE now() END;
  END IF;
END $$;

-- What was reserved by processes that are gone.
DELETE FROM leases;

COMMIT;
