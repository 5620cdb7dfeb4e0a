-- Makes a tenant of a project that the platform has and a restored database does not know:
--   psql "$DATABASE_URL" -X -v ON_ERROR_STOP=1 -v project_id=… -v slug=… -v name=… -v tier=… -v stamp=… \
--     -f deploy/postgresql/adopt-project.sql
-- The project has all of it: its id, its name (the slug), its description (the name), and the tags `tier:…` (the tier)
-- and `portico-attempt:…` (the stamp, with the prefix).
WITH account AS (INSERT INTO accounts (name) VALUES (:'name') RETURNING number)
INSERT INTO tenants (project_id, slug, name, tier, stamp, account_n)
SELECT :'project_id', :'slug', :'name', :'tier', :'stamp', number FROM account
RETURNING project_id, slug, tier, account_n;
