CREATE TABLE accounts (
  attempts integer DEFAULT 0 NOT NULL,
  closed_at timestamp(3) with time zone,
  closed_by text,
  closes_at timestamp(3) with time zone,
  closure uuid,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  destroyed_at timestamp(3) with time zone,
  destroyed_projects jsonb DEFAULT '[]'::jsonb NOT NULL,
  destroyer text,
  due_at timestamp(3) with time zone,
  failures integer DEFAULT 0 NOT NULL,
  finalize_reason text,
  finalized_by text,
  lease uuid,
  lease_ends timestamp(3) with time zone,
  name text NOT NULL,
  number integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  reason text,
  refusal text,
  refused_at timestamp(3) with time zone,
  state text DEFAULT 'open'::text NOT NULL,
  trying boolean DEFAULT false NOT NULL,
  window_days integer
);
--
CREATE TABLE agent_areas (
  areas jsonb NOT NULL,
  changed_at timestamp(3) with time zone NOT NULL,
  user_id text NOT NULL
);
--
CREATE TABLE agent_calls (
  at timestamp(3) with time zone NOT NULL,
  envelope jsonb NOT NULL,
  id uuid NOT NULL,
  key text NOT NULL,
  lease_ends timestamp(3) with time zone NOT NULL,
  overdue_since timestamp(3) with time zone,
  topic text NOT NULL
);
--
CREATE TABLE agent_plans (
  ended boolean DEFAULT false NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  plan_id text NOT NULL,
  project_id text NOT NULL,
  sealed text NOT NULL,
  taken_at timestamp(3) with time zone,
  user_id text NOT NULL
);
--
CREATE TABLE agent_settings (
  confirm jsonb NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  ended_at timestamp(3) with time zone,
  ended_by text,
  project_id text NOT NULL,
  updated_at timestamp(3) with time zone,
  updated_by text
);
--
CREATE TABLE agent_usage (
  calls bigint NOT NULL,
  credential_id text NOT NULL,
  last_call_at timestamp(3) with time zone NOT NULL,
  last_tool text,
  refused bigint NOT NULL
);
--
CREATE TABLE alarms (
  alarm_id text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  created_by text NOT NULL,
  description text,
  due_at timestamp(3) with time zone NOT NULL,
  enabled boolean NOT NULL,
  evaluated_at timestamp(3) with time zone,
  last_transition_at timestamp(3) with time zone,
  lease uuid,
  lease_ends timestamp with time zone,
  name text NOT NULL,
  project_id text NOT NULL,
  reason text NOT NULL,
  revision integer DEFAULT 0 NOT NULL,
  rule jsonb NOT NULL,
  severity text NOT NULL,
  state text NOT NULL,
  transitions integer DEFAULT 0 NOT NULL,
  unknown_since timestamp(3) with time zone,
  untold boolean DEFAULT false NOT NULL
);
--
CREATE TABLE autoscaling_groups (
  alarms jsonb DEFAULT '{}'::jsonb NOT NULL,
  cooldown_seconds integer NOT NULL,
  cooldown_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  created_by text NOT NULL,
  deleting boolean DEFAULT false NOT NULL,
  desired integer NOT NULL,
  due_at timestamp(3) with time zone NOT NULL,
  errors integer DEFAULT 0 NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  group_id text NOT NULL,
  lease uuid,
  lease_ends timestamp with time zone,
  limits integer DEFAULT 0 NOT NULL,
  max integer NOT NULL,
  members jsonb DEFAULT '[]'::jsonb NOT NULL,
  min integer NOT NULL,
  name text NOT NULL,
  observed_at timestamp(3) with time zone,
  policies jsonb NOT NULL,
  project_id text NOT NULL,
  reason text,
  revision integer DEFAULT 0 NOT NULL,
  state text DEFAULT 'scaling'::text NOT NULL,
  template jsonb NOT NULL
);
--
CREATE TABLE credential_usage (
  call_count bigint NOT NULL,
  credential_id text NOT NULL,
  last_call_at timestamp(3) with time zone NOT NULL
);
--
CREATE TABLE credentials (
  attempt uuid,
  billing_access boolean DEFAULT false NOT NULL,
  client_id text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_by text NOT NULL,
  credential_id text NOT NULL,
  deactivate_at timestamp(3) with time zone,
  display_name text DEFAULT ''::text NOT NULL,
  email text DEFAULT ''::text NOT NULL,
  expires_at timestamp with time zone,
  held jsonb DEFAULT '[]'::jsonb NOT NULL,
  idle_since timestamp(3) with time zone DEFAULT date_trunc('day'::text, now(), 'UTC'::text) NOT NULL,
  kind text NOT NULL,
  label text NOT NULL,
  last_used_at timestamp with time zone,
  last_used_from text,
  made_by text,
  mint_ends timestamp with time zone,
  networks jsonb,
  ou text,
  pat_hash text,
  project_id text NOT NULL,
  retire_ends timestamp(3) with time zone,
  revoked_at timestamp with time zone,
  revokes_at timestamp(3) with time zone,
  role text,
  rotated_to text,
  rotates text,
  state text NOT NULL,
  tier smallint NOT NULL,
  user_id text NOT NULL
);
--
CREATE TABLE deliveries (
  again boolean NOT NULL,
  attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  delivery_id uuid DEFAULT gen_random_uuid() NOT NULL,
  event_id uuid NOT NULL,
  finished_at timestamp(3) with time zone,
  given_up text,
  kind text NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  state text DEFAULT 'pending'::text NOT NULL,
  target_id text NOT NULL,
  topic text NOT NULL
);
--
CREATE TABLE edge_claims (
  challenge text NOT NULL,
  claimed_at timestamp(3) with time zone NOT NULL,
  domain text NOT NULL,
  exposure_id text,
  held_until timestamp(3) with time zone,
  project_id text NOT NULL,
  released_at timestamp(3) with time zone,
  verified_at timestamp(3) with time zone
);
--
CREATE TABLE edge_exposures (
  address text,
  created_at timestamp(3) with time zone NOT NULL,
  domain text,
  due_at timestamp(3) with time zone NOT NULL,
  exposure_id text NOT NULL,
  hostname text NOT NULL,
  lost boolean DEFAULT false NOT NULL,
  name text NOT NULL,
  port integer NOT NULL,
  project_id text NOT NULL,
  removing text,
  service text
);
--
CREATE TABLE events (
  at timestamp with time zone NOT NULL,
  envelope jsonb NOT NULL,
  id uuid NOT NULL,
  key text NOT NULL,
  project_id text GENERATED ALWAYS AS ((envelope ->> 'project_id'::text)) STORED,
  sequence bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  topic text NOT NULL
);
--
CREATE TABLE idempotency_keys (
  body text,
  entry text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  fingerprint text NOT NULL,
  headers jsonb,
  lease uuid,
  lease_ends timestamp(3) with time zone,
  redacted jsonb,
  role text,
  status smallint,
  tier smallint NOT NULL
);
--
CREATE TABLE incidents (
  created_at timestamp(3) with time zone NOT NULL,
  created_by text NOT NULL,
  ends_at timestamp(3) with time zone,
  incident_id text NOT NULL,
  kind text NOT NULL,
  message text NOT NULL,
  services jsonb NOT NULL,
  severity text NOT NULL,
  starts_at timestamp(3) with time zone NOT NULL,
  title text NOT NULL
);
--
CREATE TABLE leases (
  lease uuid NOT NULL,
  lease_ends timestamp(3) with time zone NOT NULL,
  name text NOT NULL
);
--
CREATE TABLE onboardings (
  attempt_id text NOT NULL,
  done jsonb DEFAULT '[]'::jsonb NOT NULL,
  failure text,
  lease uuid,
  lease_ends timestamp with time zone NOT NULL,
  left_behind jsonb DEFAULT '[]'::jsonb NOT NULL,
  name text NOT NULL,
  owner jsonb,
  project_id text,
  slug text NOT NULL,
  started_at timestamp with time zone DEFAULT now() NOT NULL,
  state text NOT NULL,
  steps jsonb NOT NULL,
  tier text NOT NULL,
  unsettled boolean DEFAULT false NOT NULL,
  withdrawals integer DEFAULT 0 NOT NULL,
  withdrawn jsonb DEFAULT '[]'::jsonb NOT NULL
);
--
CREATE TABLE organisation_units (
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_by text NOT NULL,
  id text COLLATE "C" NOT NULL,
  parent text COLLATE "C",
  path text COLLATE "C" NOT NULL,
  project_id text NOT NULL
);
--
CREATE TABLE policies (
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  denies jsonb DEFAULT '[]'::jsonb NOT NULL,
  id text COLLATE "C" NOT NULL,
  max_tier smallint,
  ou text COLLATE "C" NOT NULL,
  project_id text NOT NULL,
  unit text COLLATE "C" GENERATED ALWAYS AS (NULLIF(ou, ''::text)) STORED,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_by text NOT NULL
);
--
CREATE TABLE portico_migrations (
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  migration_id integer NOT NULL,
  name text NOT NULL
);
--
CREATE TABLE purges (
  cancelled boolean DEFAULT false NOT NULL,
  ending jsonb DEFAULT '[]'::jsonb NOT NULL,
  failure text,
  failures integer DEFAULT 0 NOT NULL,
  lease uuid,
  lease_ends timestamp with time zone,
  nat_off boolean,
  progress jsonb DEFAULT '[]'::jsonb NOT NULL,
  project_id text NOT NULL,
  reason text NOT NULL,
  refusal jsonb,
  request_id text NOT NULL,
  requested_by text NOT NULL,
  restored jsonb DEFAULT '[]'::jsonb NOT NULL,
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  state text NOT NULL
);
--
CREATE TABLE record_counts (
  count bigint NOT NULL,
  kind text NOT NULL,
  project_id text NOT NULL,
  state text NOT NULL
);
--
CREATE TABLE registry_keys (
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  kid text NOT NULL,
  public_key jsonb NOT NULL,
  sealed text NOT NULL,
  signs_from timestamp(3) with time zone NOT NULL
);
--
CREATE TABLE relays (
  failures integer NOT NULL,
  lease uuid,
  lease_ends timestamp(3) with time zone NOT NULL,
  "position" bigint NOT NULL,
  topic text NOT NULL
);
--
CREATE TABLE signup_requests (
  at timestamp(3) with time zone DEFAULT statement_timestamp() NOT NULL,
  source text NOT NULL
);
--
CREATE TABLE signups (
  attempt_id text,
  created_at timestamp(3) with time zone DEFAULT statement_timestamp() NOT NULL,
  decided_at timestamp(3) with time zone,
  decided_by text,
  email text NOT NULL,
  org_key text NOT NULL,
  org_name text NOT NULL,
  project_id text,
  signup_id text NOT NULL,
  state text DEFAULT 'pending'::text NOT NULL
);
--
CREATE TABLE targets (
  created_at timestamp(3) with time zone NOT NULL,
  created_by text NOT NULL,
  disabled_reason text,
  due_at timestamp with time zone,
  failing_since timestamp(3) with time zone,
  failures_in_a_row integer DEFAULT 0 NOT NULL,
  from_sequence bigint NOT NULL,
  kind text NOT NULL,
  kinds jsonb NOT NULL,
  lease uuid,
  lease_ends timestamp with time zone,
  name text,
  project_id text NOT NULL,
  rests_until timestamp(3) with time zone,
  secrets jsonb NOT NULL,
  served_at timestamp with time zone NOT NULL,
  settings jsonb NOT NULL,
  state text NOT NULL,
  target_id text NOT NULL,
  topics jsonb NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL
);
--
CREATE TABLE tenants (
  account_n integer,
  change_ends timestamp with time zone,
  change_lease uuid,
  closing jsonb DEFAULT '[]'::jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  name text NOT NULL,
  pending_tier text,
  project_id text NOT NULL,
  reached_tiers jsonb DEFAULT '[]'::jsonb NOT NULL,
  slug text NOT NULL,
  stamp text NOT NULL,
  suspended boolean DEFAULT false NOT NULL,
  tier text NOT NULL
);
--
CREATE TABLE tier_changes (
  at timestamp(3) with time zone DEFAULT statement_timestamp() NOT NULL,
  became text,
  was text
);
--
CREATE TABLE usage_cursors (
  sequence bigint NOT NULL,
  topic text NOT NULL
);
--
CREATE TABLE workload_issuers (
  audience text NOT NULL,
  ca text,
  changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_by text NOT NULL,
  discovery_url text NOT NULL,
  enabled boolean NOT NULL,
  issuer text NOT NULL,
  issuer_id text NOT NULL,
  jwks_uri text,
  max_lifetime_seconds integer NOT NULL,
  project_id text NOT NULL,
  revision integer DEFAULT 1 NOT NULL,
  subjects jsonb NOT NULL,
  tier smallint NOT NULL
);
--
CREATE TABLE workload_tokens (
  expires_at timestamp(3) with time zone NOT NULL,
  issued_at timestamp(3) with time zone NOT NULL,
  issuer_id text NOT NULL,
  made_by text,
  revision integer NOT NULL,
  subject text NOT NULL,
  token_hash text NOT NULL
);
--
INSERT INTO accounts (attempts, closed_at, closed_by, closes_at, closure, created_at, destroyed_at, destroyed_projects, destroyer, due_at, failures, finalize_reason, finalized_by, lease, lease_ends, name, number, reason, refusal, refused_at, state, trying, window_days) OVERRIDING SYSTEM VALUE SELECT attempts, closed_at, closed_by, closes_at, closure, created_at, destroyed_at, destroyed_projects, destroyer, due_at, failures, finalize_reason, finalized_by, lease, lease_ends, name, number, reason, refusal, refused_at, state, trying, window_days FROM jsonb_populate_record(NULL::accounts, '{"name": "Acme", "lease": null, "state": "open", "due_at": null, "number": 1, "reason": null, "trying": false, "closure": null, "refusal": null, "attempts": 0, "failures": 0, "closed_at": null, "closed_by": null, "closes_at": null, "destroyer": null, "created_at": "2026-01-01T00:00:00+00:00", "lease_ends": null, "refused_at": null, "window_days": null, "destroyed_at": null, "finalized_by": null, "finalize_reason": null, "destroyed_projects": []}');
--
INSERT INTO accounts (attempts, closed_at, closed_by, closes_at, closure, created_at, destroyed_at, destroyed_projects, destroyer, due_at, failures, finalize_reason, finalized_by, lease, lease_ends, name, number, reason, refusal, refused_at, state, trying, window_days) OVERRIDING SYSTEM VALUE SELECT attempts, closed_at, closed_by, closes_at, closure, created_at, destroyed_at, destroyed_projects, destroyer, due_at, failures, finalize_reason, finalized_by, lease, lease_ends, name, number, reason, refusal, refused_at, state, trying, window_days FROM jsonb_populate_record(NULL::accounts, '{"name": "Initech", "lease": null, "state": "closing", "due_at": null, "number": 2, "reason": "they asked", "trying": false, "closure": null, "refusal": null, "attempts": 0, "failures": 0, "closed_at": null, "closed_by": null, "closes_at": "2100-01-01T00:00:00+00:00", "destroyer": null, "created_at": "2026-01-02T00:00:00+00:00", "lease_ends": null, "refused_at": null, "window_days": 30, "destroyed_at": null, "finalized_by": null, "finalize_reason": null, "destroyed_projects": []}');
--
INSERT INTO agent_areas (areas, changed_at, user_id) OVERRIDING SYSTEM VALUE SELECT areas, changed_at, user_id FROM jsonb_populate_record(NULL::agent_areas, '{"areas": [], "user_id": "user-3", "changed_at": "2026-02-01T00:00:00+00:00"}');
--
INSERT INTO agent_calls (at, envelope, id, key, lease_ends, overdue_since, topic) OVERRIDING SYSTEM VALUE SELECT at, envelope, id, key, lease_ends, overdue_since, topic FROM jsonb_populate_record(NULL::agent_calls, '{"at": "2026-02-01T00:00:00+00:00", "id": "01097b01-7c43-47b5-bb67-f2057c78bab0", "key": "user-3", "topic": "agent.actions", "envelope": {}, "lease_ends": "2100-01-01T00:00:00+00:00", "overdue_since": null}');
--
INSERT INTO agent_plans (ended, expires_at, plan_id, project_id, sealed, taken_at, user_id) OVERRIDING SYSTEM VALUE SELECT ended, expires_at, plan_id, project_id, sealed, taken_at, user_id FROM jsonb_populate_record(NULL::agent_plans, '{"ended": false, "sealed": "sealed", "plan_id": "plan-1", "user_id": "user-3", "taken_at": null, "expires_at": "2100-01-01T00:00:00+00:00", "project_id": "project-1"}');
--
INSERT INTO agent_settings (confirm, enabled, ended_at, ended_by, project_id, updated_at, updated_by) OVERRIDING SYSTEM VALUE SELECT confirm, enabled, ended_at, ended_by, project_id, updated_at, updated_by FROM jsonb_populate_record(NULL::agent_settings, '{"confirm": [], "enabled": true, "ended_at": null, "ended_by": null, "project_id": "project-1", "updated_at": null, "updated_by": null}');
--
INSERT INTO agent_usage (calls, credential_id, last_call_at, last_tool, refused) OVERRIDING SYSTEM VALUE SELECT calls, credential_id, last_call_at, last_tool, refused FROM jsonb_populate_record(NULL::agent_usage, '{"calls": 3, "refused": 1, "last_tool": null, "last_call_at": "2026-02-01T00:00:00+00:00", "credential_id": "cred-2"}');
--
INSERT INTO alarms (alarm_id, created_at, created_by, description, due_at, enabled, evaluated_at, last_transition_at, lease, lease_ends, name, project_id, reason, revision, rule, severity, state, transitions, unknown_since, untold) OVERRIDING SYSTEM VALUE SELECT alarm_id, created_at, created_by, description, due_at, enabled, evaluated_at, last_transition_at, lease, lease_ends, name, project_id, reason, revision, rule, severity, state, transitions, unknown_since, untold FROM jsonb_populate_record(NULL::alarms, '{"name": "busy", "rule": {}, "lease": null, "state": "ok", "due_at": "2100-01-01T00:00:00+00:00", "reason": "below", "untold": false, "enabled": true, "alarm_id": "alarm-1", "revision": 0, "severity": "warning", "created_at": "2026-01-01T00:00:00+00:00", "created_by": "user-1", "lease_ends": null, "project_id": "project-1", "description": null, "transitions": 0, "evaluated_at": null, "unknown_since": null, "last_transition_at": null}');
--
INSERT INTO autoscaling_groups (alarms, cooldown_seconds, cooldown_until, created_at, created_by, deleting, desired, due_at, errors, failures, group_id, lease, lease_ends, limits, max, members, min, name, observed_at, policies, project_id, reason, revision, state, template) OVERRIDING SYSTEM VALUE SELECT alarms, cooldown_seconds, cooldown_until, created_at, created_by, deleting, desired, due_at, errors, failures, group_id, lease, lease_ends, limits, max, members, min, name, observed_at, policies, project_id, reason, revision, state, template FROM jsonb_populate_record(NULL::autoscaling_groups, '{"max": 3, "min": 1, "name": "workers", "lease": null, "state": "scaling", "alarms": {}, "due_at": "2100-01-01T00:00:00+00:00", "errors": 0, "limits": 0, "reason": null, "desired": 2, "members": [], "deleting": false, "failures": 0, "group_id": "group-1", "policies": [], "revision": 0, "template": {}, "created_at": "2026-01-01T00:00:00+00:00", "created_by": "user-1", "lease_ends": null, "project_id": "project-1", "observed_at": null, "cooldown_until": null, "cooldown_seconds": 60}');
--
INSERT INTO credential_usage (call_count, credential_id, last_call_at) OVERRIDING SYSTEM VALUE SELECT call_count, credential_id, last_call_at FROM jsonb_populate_record(NULL::credential_usage, '{"call_count": 12, "last_call_at": "2026-02-01T00:00:00+00:00", "credential_id": "cred-1"}');
--
INSERT INTO credentials (attempt, billing_access, client_id, created_at, created_by, credential_id, deactivate_at, display_name, email, expires_at, held, idle_since, kind, label, last_used_at, last_used_from, made_by, mint_ends, networks, ou, pat_hash, project_id, retire_ends, revoked_at, revokes_at, role, rotated_to, rotates, state, tier, user_id) OVERRIDING SYSTEM VALUE SELECT attempt, billing_access, client_id, created_at, created_by, credential_id, deactivate_at, display_name, email, expires_at, held, idle_since, kind, label, last_used_at, last_used_from, made_by, mint_ends, networks, ou, pat_hash, project_id, retire_ends, revoked_at, revokes_at, role, rotated_to, rotates, state, tier, user_id FROM jsonb_populate_record(NULL::credentials, '{"ou": null, "held": [], "kind": "api-key", "role": null, "tier": 1, "email": "", "label": "deploy", "state": "active", "attempt": null, "made_by": "member-1", "rotates": null, "user_id": "user-2", "networks": null, "pat_hash": null, "client_id": "client-2", "mint_ends": null, "created_at": "2026-11-27T02:35:32.514+00:00", "created_by": "user-1", "expires_at": null, "idle_since": "2026-11-27T00:00:00+00:00", "project_id": "project-1", "revoked_at": null, "revokes_at": null, "rotated_to": null, "retire_ends": null, "display_name": "", "last_used_at": null, "credential_id": "cred-1", "deactivate_at": null, "billing_access": false, "last_used_from": null}');
--
INSERT INTO credentials (attempt, billing_access, client_id, created_at, created_by, credential_id, deactivate_at, display_name, email, expires_at, held, idle_since, kind, label, last_used_at, last_used_from, made_by, mint_ends, networks, ou, pat_hash, project_id, retire_ends, revoked_at, revokes_at, role, rotated_to, rotates, state, tier, user_id) OVERRIDING SYSTEM VALUE SELECT attempt, billing_access, client_id, created_at, created_by, credential_id, deactivate_at, display_name, email, expires_at, held, idle_since, kind, label, last_used_at, last_used_from, made_by, mint_ends, networks, ou, pat_hash, project_id, retire_ends, revoked_at, revokes_at, role, rotated_to, rotates, state, tier, user_id FROM jsonb_populate_record(NULL::credentials, '{"ou": null, "held": [], "kind": "mcp", "role": null, "tier": 0, "email": "", "label": "agent", "state": "revoked", "attempt": null, "made_by": "member-1", "rotates": null, "user_id": "user-3", "networks": null, "pat_hash": null, "client_id": "client-3", "mint_ends": null, "created_at": "2026-11-27T02:35:32.514+00:00", "created_by": "user-1", "expires_at": null, "idle_since": "2026-11-27T00:00:00+00:00", "project_id": "project-1", "revoked_at": null, "revokes_at": null, "rotated_to": null, "retire_ends": null, "display_name": "", "last_used_at": null, "credential_id": "cred-2", "deactivate_at": null, "billing_access": false, "last_used_from": null}');
--
INSERT INTO credentials (attempt, billing_access, client_id, created_at, created_by, credential_id, deactivate_at, display_name, email, expires_at, held, idle_since, kind, label, last_used_at, last_used_from, made_by, mint_ends, networks, ou, pat_hash, project_id, retire_ends, revoked_at, revokes_at, role, rotated_to, rotates, state, tier, user_id) OVERRIDING SYSTEM VALUE SELECT attempt, billing_access, client_id, created_at, created_by, credential_id, deactivate_at, display_name, email, expires_at, held, idle_since, kind, label, last_used_at, last_used_from, made_by, mint_ends, networks, ou, pat_hash, project_id, retire_ends, revoked_at, revokes_at, role, rotated_to, rotates, state, tier, user_id FROM jsonb_populate_record(NULL::credentials, '{"ou": null, "held": [], "kind": "member", "role": "customer-owner", "tier": 2, "email": "ann@acme.example", "label": "ann@acme.example", "state": "active", "attempt": null, "made_by": null, "rotates": null, "user_id": "user-1", "networks": null, "pat_hash": null, "client_id": "", "mint_ends": null, "created_at": "2026-11-27T02:35:32.514+00:00", "created_by": "operator", "expires_at": null, "idle_since": "2026-11-27T00:00:00+00:00", "project_id": "project-1", "revoked_at": null, "revokes_at": null, "rotated_to": null, "retire_ends": null, "display_name": "", "last_used_at": null, "credential_id": "member-1", "deactivate_at": null, "billing_access": false, "last_used_from": null}');
--
INSERT INTO deliveries (again, attempts, created_at, delivery_id, event_id, finished_at, given_up, kind, number, state, target_id, topic) OVERRIDING SYSTEM VALUE SELECT again, attempts, created_at, delivery_id, event_id, finished_at, given_up, kind, number, state, target_id, topic FROM jsonb_populate_record(NULL::deliveries, '{"kind": "alarm.state_changed", "again": false, "state": "pending", "topic": "alarms", "number": 1, "attempts": [], "event_id": "1484ef23-e413-49de-b9c0-0779f6a10ec9", "given_up": null, "target_id": "target-1", "created_at": "2026-02-01T00:00:00+00:00", "delivery_id": "241fc002-7e50-4940-862c-951d15a1a451", "finished_at": null}');
--
INSERT INTO edge_claims (challenge, claimed_at, domain, exposure_id, held_until, project_id, released_at, verified_at) OVERRIDING SYSTEM VALUE SELECT challenge, claimed_at, domain, exposure_id, held_until, project_id, released_at, verified_at FROM jsonb_populate_record(NULL::edge_claims, '{"domain": "shop.example", "challenge": "challenge", "claimed_at": "2026-01-01T00:00:00+00:00", "held_until": null, "project_id": "project-1", "exposure_id": "edge-1", "released_at": null, "verified_at": null}');
--
INSERT INTO edge_exposures (address, created_at, domain, due_at, exposure_id, hostname, lost, name, port, project_id, removing, service) OVERRIDING SYSTEM VALUE SELECT address, created_at, domain, due_at, exposure_id, hostname, lost, name, port, project_id, removing, service FROM jsonb_populate_record(NULL::edge_exposures, '{"lost": false, "name": "web", "port": 80, "domain": "shop.example", "due_at": "2100-01-01T00:00:00+00:00", "address": null, "service": "web", "hostname": "web.edge.example", "removing": null, "created_at": "2026-01-01T00:00:00+00:00", "project_id": "project-1", "exposure_id": "edge-1"}');
--
INSERT INTO events (at, envelope, id, key, sequence, topic) OVERRIDING SYSTEM VALUE SELECT at, envelope, id, key, sequence, topic FROM jsonb_populate_record(NULL::events, '{"at": "2026-02-01T00:00:00+00:00", "id": "9ad58ce8-5f6a-473f-ab51-63cd2c497639", "key": "key-1", "topic": "billing.lifecycle", "envelope": {"id": "event-1", "key": "key-1", "data": {}, "kind": "made", "topic": "billing.lifecycle", "project_id": "project-1"}, "sequence": 3, "project_id": "project-1"}');
--
INSERT INTO events (at, envelope, id, key, sequence, topic) OVERRIDING SYSTEM VALUE SELECT at, envelope, id, key, sequence, topic FROM jsonb_populate_record(NULL::events, '{"at": "2026-02-01T00:00:00+00:00", "id": "b2e58731-54c1-4b2d-a869-37026939a19e", "key": "key-1", "topic": "alarms", "envelope": {"id": "event-1", "key": "key-1", "data": {}, "kind": "made", "topic": "alarms", "project_id": "project-1"}, "sequence": 2, "project_id": "project-1"}');
--
INSERT INTO events (at, envelope, id, key, sequence, topic) OVERRIDING SYSTEM VALUE SELECT at, envelope, id, key, sequence, topic FROM jsonb_populate_record(NULL::events, '{"at": "2026-02-01T00:00:00+00:00", "id": "b3e5a354-cbe7-4b2e-810c-60cc42495216", "key": "key-1", "topic": "api.audit", "envelope": {"id": "event-1", "key": "key-1", "data": {}, "kind": "made", "topic": "api.audit", "project_id": "project-1"}, "sequence": 1, "project_id": "project-1"}');
--
INSERT INTO idempotency_keys (body, entry, expires_at, fingerprint, headers, lease, lease_ends, redacted, role, status, tier) OVERRIDING SYSTEM VALUE SELECT body, entry, expires_at, fingerprint, headers, lease, lease_ends, redacted, role, status, tier FROM jsonb_populate_record(NULL::idempotency_keys, '{"body": "{}", "role": null, "tier": 1, "entry": "entry-1", "lease": null, "status": 201, "headers": {}, "redacted": [], "expires_at": "2100-01-01T00:00:00+00:00", "lease_ends": null, "fingerprint": "body-1"}');
--
INSERT INTO incidents (created_at, created_by, ends_at, incident_id, kind, message, services, severity, starts_at, title) OVERRIDING SYSTEM VALUE SELECT created_at, created_by, ends_at, incident_id, kind, message, services, severity, starts_at, title FROM jsonb_populate_record(NULL::incidents, '{"kind": "incident", "title": "Slow disks", "ends_at": null, "message": "We are on it", "services": [], "severity": "minor", "starts_at": "2026-01-01T00:00:00+00:00", "created_at": "2026-01-01T00:00:00+00:00", "created_by": "operator", "incident_id": "incident-1"}');
--
INSERT INTO leases (lease, lease_ends, name) OVERRIDING SYSTEM VALUE SELECT lease, lease_ends, name FROM jsonb_populate_record(NULL::leases, '{"name": "ledger", "lease": "f2ddd52c-8d9f-4e3e-a824-e5d7e5c9d6f7", "lease_ends": "2026-01-01T00:00:00+00:00"}');
--
INSERT INTO onboardings (attempt_id, done, failure, lease, lease_ends, left_behind, name, owner, project_id, slug, started_at, state, steps, tier, unsettled, withdrawals, withdrawn) OVERRIDING SYSTEM VALUE SELECT attempt_id, done, failure, lease, lease_ends, left_behind, name, owner, project_id, slug, started_at, state, steps, tier, unsettled, withdrawals, withdrawn FROM jsonb_populate_record(NULL::onboardings, '{"done": [], "name": "Globex", "slug": "globex", "tier": "discovery", "lease": null, "owner": null, "state": "resting", "steps": [], "failure": "keystone was away", "unsettled": false, "withdrawn": [], "attempt_id": "attempt-3", "lease_ends": "2026-01-03T00:00:00+00:00", "project_id": null, "started_at": "2026-11-27T02:35:32.517877+00:00", "left_behind": [], "withdrawals": 0}');
--
INSERT INTO organisation_units (created_at, created_by, id, parent, path, project_id) OVERRIDING SYSTEM VALUE SELECT created_at, created_by, id, parent, path, project_id FROM jsonb_populate_record(NULL::organisation_units, '{"id": "unit-1", "path": "a", "parent": null, "created_at": "2026-11-27T02:35:32.521+00:00", "created_by": "user-1", "project_id": "project-1"}');
--
INSERT INTO organisation_units (created_at, created_by, id, parent, path, project_id) OVERRIDING SYSTEM VALUE SELECT created_at, created_by, id, parent, path, project_id FROM jsonb_populate_record(NULL::organisation_units, '{"id": "unit-2", "path": "a.b", "parent": "a", "created_at": "2026-11-27T02:35:32.521+00:00", "created_by": "user-1", "project_id": "project-1"}');
--
INSERT INTO policies (created_at, denies, id, max_tier, ou, project_id, updated_at, updated_by) OVERRIDING SYSTEM VALUE SELECT created_at, denies, id, max_tier, ou, project_id, updated_at, updated_by FROM jsonb_populate_record(NULL::policies, '{"id": "policy-1", "ou": "", "unit": null, "denies": [], "max_tier": 1, "created_at": "2026-11-27T02:35:32.521+00:00", "project_id": "project-1", "updated_at": "2026-11-27T02:35:32.521+00:00", "updated_by": "user-1"}');
--
INSERT INTO policies (created_at, denies, id, max_tier, ou, project_id, updated_at, updated_by) OVERRIDING SYSTEM VALUE SELECT created_at, denies, id, max_tier, ou, project_id, updated_at, updated_by FROM jsonb_populate_record(NULL::policies, '{"id": "policy-2", "ou": "a.b", "unit": "a.b", "denies": [], "max_tier": 0, "created_at": "2026-11-27T02:35:32.521+00:00", "project_id": "project-1", "updated_at": "2026-11-27T02:35:32.521+00:00", "updated_by": "user-1"}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "accounts", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 9}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "accounts_due", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 25}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "agent_areas", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 30}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "agent_calls", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 27}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "agent_plans", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 29}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "agents", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 28}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "alarms", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 19}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "autoscaling", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 16}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "billing", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 13}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "credentials", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 2}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "edge", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 15}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "events", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 4}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "events_of_project", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 20}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "idempotency", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 22}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "incidents", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 18}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "leases", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 14}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "makers", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 23}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "members", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 10}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "nat_off", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 17}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "onboarding_steps", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 24}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "onboarding_withdrawn", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 26}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "onboardings", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 3}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "people", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 5}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "policy", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 11}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "projects", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 8}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "signups", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 7}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "targets", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 21}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "tenants", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 1}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "tier_changes", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 32}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "tokens", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 12}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "unused_credentials", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 31}');
--
INSERT INTO portico_migrations (created_at, migration_id, name) OVERRIDING SYSTEM VALUE SELECT created_at, migration_id, name FROM jsonb_populate_record(NULL::portico_migrations, '{"name": "usage", "created_at": "2026-11-27T02:35:32.381722+00:00", "migration_id": 6}');
--
INSERT INTO purges (cancelled, ending, failure, failures, lease, lease_ends, nat_off, progress, project_id, reason, refusal, request_id, requested_by, restored, started_at, state) OVERRIDING SYSTEM VALUE SELECT cancelled, ending, failure, failures, lease, lease_ends, nat_off, progress, project_id, reason, refusal, request_id, requested_by, restored, started_at, state FROM jsonb_populate_record(NULL::purges, '{"lease": null, "state": "done", "ending": [], "reason": "project_deletion", "failure": null, "nat_off": null, "refusal": null, "failures": 0, "progress": [], "restored": [], "cancelled": false, "lease_ends": null, "project_id": "project-9", "request_id": "request-1", "started_at": "2026-11-27T02:35:32.52+00:00", "requested_by": "user-1"}');
--
INSERT INTO record_counts (count, kind, project_id, state) OVERRIDING SYSTEM VALUE SELECT count, kind, project_id, state FROM jsonb_populate_record(NULL::record_counts, '{"kind": "api-key", "count": 1, "state": "active", "project_id": "project-1"}');
--
INSERT INTO record_counts (count, kind, project_id, state) OVERRIDING SYSTEM VALUE SELECT count, kind, project_id, state FROM jsonb_populate_record(NULL::record_counts, '{"kind": "mcp", "count": 1, "state": "revoked", "project_id": "project-1"}');
--
INSERT INTO record_counts (count, kind, project_id, state) OVERRIDING SYSTEM VALUE SELECT count, kind, project_id, state FROM jsonb_populate_record(NULL::record_counts, '{"kind": "member", "count": 1, "state": "active", "project_id": "project-1"}');
--
INSERT INTO record_counts (count, kind, project_id, state) OVERRIDING SYSTEM VALUE SELECT count, kind, project_id, state FROM jsonb_populate_record(NULL::record_counts, '{"kind": "tenant", "count": 2, "state": "live", "project_id": ""}');
--
INSERT INTO registry_keys (created_at, kid, public_key, sealed, signs_from) OVERRIDING SYSTEM VALUE SELECT created_at, kid, public_key, sealed, signs_from FROM jsonb_populate_record(NULL::registry_keys, '{"kid": "kid-1", "sealed": "sealed", "created_at": "2026-11-27T02:35:32.523+00:00", "public_key": {"e": "AQAB", "n": "AQAB", "alg": "RS256", "kid": "kid-1", "kty": "RSA", "use": "sig"}, "signs_from": "2026-01-01T00:00:00+00:00"}');
--
INSERT INTO relays (failures, lease, lease_ends, "position", topic) OVERRIDING SYSTEM VALUE SELECT failures, lease, lease_ends, "position", topic FROM jsonb_populate_record(NULL::relays, '{"lease": null, "topic": "billing.lifecycle", "failures": 0, "position": 1, "lease_ends": "2026-01-01T00:00:00+00:00"}');
--
INSERT INTO signup_requests (at, source) OVERRIDING SYSTEM VALUE SELECT at, source FROM jsonb_populate_record(NULL::signup_requests, '{"at": "2026-02-01T00:00:00+00:00", "source": "192.0.2.1"}');
--
INSERT INTO signups (attempt_id, created_at, decided_at, decided_by, email, org_key, org_name, project_id, signup_id, state) OVERRIDING SYSTEM VALUE SELECT attempt_id, created_at, decided_at, decided_by, email, org_key, org_name, project_id, signup_id, state FROM jsonb_populate_record(NULL::signups, '{"email": "ann@globex.example", "state": "pending", "org_key": "globex", "org_name": "Globex", "signup_id": "signup-1", "attempt_id": null, "created_at": "2026-02-01T00:00:00+00:00", "decided_at": null, "decided_by": null, "project_id": null}');
--
INSERT INTO targets (created_at, created_by, disabled_reason, due_at, failing_since, failures_in_a_row, from_sequence, kind, kinds, lease, lease_ends, name, project_id, rests_until, secrets, served_at, settings, state, target_id, topics, updated_at) OVERRIDING SYSTEM VALUE SELECT created_at, created_by, disabled_reason, due_at, failing_since, failures_in_a_row, from_sequence, kind, kinds, lease, lease_ends, name, project_id, rests_until, secrets, served_at, settings, state, target_id, topics, updated_at FROM jsonb_populate_record(NULL::targets, '{"kind": "webhook", "name": null, "kinds": [], "lease": null, "state": "active", "due_at": null, "topics": ["alarms"], "secrets": [{"sealed": "sealed", "ends_at": null}], "settings": {"url": "https://hooks.example/"}, "served_at": "2026-01-01T00:00:00+00:00", "target_id": "target-1", "created_at": "2026-01-01T00:00:00+00:00", "created_by": "user-1", "lease_ends": null, "project_id": "project-1", "updated_at": "2026-01-01T00:00:00+00:00", "rests_until": null, "failing_since": null, "from_sequence": 0, "disabled_reason": null, "failures_in_a_row": 0}');
--
INSERT INTO tenants (account_n, change_ends, change_lease, closing, created_at, name, pending_tier, project_id, reached_tiers, slug, stamp, suspended, tier) OVERRIDING SYSTEM VALUE SELECT account_n, change_ends, change_lease, closing, created_at, name, pending_tier, project_id, reached_tiers, slug, stamp, suspended, tier FROM jsonb_populate_record(NULL::tenants, '{"name": "Acme", "slug": "acme", "tier": "standard", "stamp": "attempt-1", "closing": [], "account_n": 1, "suspended": false, "created_at": "2026-01-01T00:00:00+00:00", "project_id": "project-1", "change_ends": null, "change_lease": null, "pending_tier": null, "reached_tiers": []}');
--
INSERT INTO tenants (account_n, change_ends, change_lease, closing, created_at, name, pending_tier, project_id, reached_tiers, slug, stamp, suspended, tier) OVERRIDING SYSTEM VALUE SELECT account_n, change_ends, change_lease, closing, created_at, name, pending_tier, project_id, reached_tiers, slug, stamp, suspended, tier FROM jsonb_populate_record(NULL::tenants, '{"name": "Initech", "slug": "initech", "tier": "extension", "stamp": "attempt-2", "closing": [], "account_n": 2, "suspended": false, "created_at": "2026-01-02T00:00:00+00:00", "project_id": "project-2", "change_ends": null, "change_lease": null, "pending_tier": null, "reached_tiers": []}');
--
INSERT INTO tier_changes (at, became, was) OVERRIDING SYSTEM VALUE SELECT at, became, was FROM jsonb_populate_record(NULL::tier_changes, '{"at": "2026-11-27T02:35:32.512+00:00", "was": null, "became": "discovery"}');
--
INSERT INTO tier_changes (at, became, was) OVERRIDING SYSTEM VALUE SELECT at, became, was FROM jsonb_populate_record(NULL::tier_changes, '{"at": "2026-11-27T02:35:32.512+00:00", "was": null, "became": "standard"}');
--
INSERT INTO tier_changes (at, became, was) OVERRIDING SYSTEM VALUE SELECT at, became, was FROM jsonb_populate_record(NULL::tier_changes, '{"at": "2026-11-27T02:35:32.514+00:00", "was": "discovery", "became": "extension"}');
--
INSERT INTO usage_cursors (sequence, topic) OVERRIDING SYSTEM VALUE SELECT sequence, topic FROM jsonb_populate_record(NULL::usage_cursors, '{"topic": "agent.actions", "sequence": 0}');
--
INSERT INTO usage_cursors (sequence, topic) OVERRIDING SYSTEM VALUE SELECT sequence, topic FROM jsonb_populate_record(NULL::usage_cursors, '{"topic": "api.audit", "sequence": 0}');
--
INSERT INTO workload_issuers (audience, ca, changed_at, created_at, created_by, discovery_url, enabled, issuer, issuer_id, jwks_uri, max_lifetime_seconds, project_id, revision, subjects, tier) OVERRIDING SYSTEM VALUE SELECT audience, ca, changed_at, created_at, created_by, discovery_url, enabled, issuer, issuer_id, jwks_uri, max_lifetime_seconds, project_id, revision, subjects, tier FROM jsonb_populate_record(NULL::workload_issuers, '{"ca": null, "tier": 1, "issuer": "https://cluster.example", "enabled": true, "audience": "portico", "jwks_uri": null, "revision": 1, "subjects": [], "issuer_id": "wi-1", "changed_at": "2026-11-27T02:35:32.522+00:00", "created_at": "2026-11-27T02:35:32.522+00:00", "created_by": "operator", "project_id": "project-1", "discovery_url": "https://cluster.example", "max_lifetime_seconds": 3600}');
--
INSERT INTO workload_tokens (expires_at, issued_at, issuer_id, made_by, revision, subject, token_hash) OVERRIDING SYSTEM VALUE SELECT expires_at, issued_at, issuer_id, made_by, revision, subject, token_hash FROM jsonb_populate_record(NULL::workload_tokens, '{"made_by": null, "subject": "system:serviceaccount:a:b", "revision": 1, "issued_at": "2026-02-01T00:00:00+00:00", "issuer_id": "wi-1", "expires_at": "2100-01-01T00:00:00+00:00", "token_hash": "hash-1"}');
--
SELECT setval(pg_get_serial_sequence('accounts', 'number'), 1000);
--
SELECT setval(pg_get_serial_sequence('deliveries', 'number'), 1000);
--
SELECT setval(pg_get_serial_sequence('events', 'sequence'), 1000);
--
ALTER TABLE accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY (number);
--
ALTER TABLE agent_areas ADD CONSTRAINT agent_areas_pkey PRIMARY KEY (user_id);
--
ALTER TABLE agent_calls ADD CONSTRAINT agent_calls_pkey PRIMARY KEY (id);
--
ALTER TABLE agent_plans ADD CONSTRAINT agent_plans_pkey PRIMARY KEY (plan_id);
--
ALTER TABLE agent_settings ADD CONSTRAINT agent_settings_pkey PRIMARY KEY (project_id);
--
ALTER TABLE agent_usage ADD CONSTRAINT agent_usage_pkey PRIMARY KEY (credential_id);
--
ALTER TABLE alarms ADD CONSTRAINT alarms_pkey PRIMARY KEY (alarm_id);
--
ALTER TABLE autoscaling_groups ADD CONSTRAINT autoscaling_groups_pkey PRIMARY KEY (group_id);
--
ALTER TABLE credential_usage ADD CONSTRAINT credential_usage_pkey PRIMARY KEY (credential_id);
--
ALTER TABLE credentials ADD CONSTRAINT credentials_pkey PRIMARY KEY (credential_id);
--
ALTER TABLE deliveries ADD CONSTRAINT deliveries_pkey PRIMARY KEY (number);
--
ALTER TABLE edge_claims ADD CONSTRAINT edge_claims_pkey PRIMARY KEY (domain, project_id);
--
ALTER TABLE edge_exposures ADD CONSTRAINT edge_exposures_pkey PRIMARY KEY (exposure_id);
--
ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (sequence);
--
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (entry);
--
ALTER TABLE incidents ADD CONSTRAINT incidents_pkey PRIMARY KEY (incident_id);
--
ALTER TABLE leases ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
--
ALTER TABLE onboardings ADD CONSTRAINT onboardings_pkey PRIMARY KEY (attempt_id);
--
ALTER TABLE organisation_units ADD CONSTRAINT organisation_units_pkey PRIMARY KEY (project_id, path);
--
ALTER TABLE policies ADD CONSTRAINT policies_pkey PRIMARY KEY (project_id, ou);
--
ALTER TABLE portico_migrations ADD CONSTRAINT portico_migrations_pkey PRIMARY KEY (migration_id);
--
ALTER TABLE purges ADD CONSTRAINT purges_pkey PRIMARY KEY (project_id);
--
ALTER TABLE record_counts ADD CONSTRAINT record_counts_pkey PRIMARY KEY (project_id, kind, state);
--
ALTER TABLE registry_keys ADD CONSTRAINT registry_keys_pkey PRIMARY KEY (kid);
--
ALTER TABLE relays ADD CONSTRAINT relays_pkey PRIMARY KEY (topic);
--
ALTER TABLE signups ADD CONSTRAINT signups_pkey PRIMARY KEY (signup_id);
--
ALTER TABLE targets ADD CONSTRAINT targets_pkey PRIMARY KEY (target_id);
--
ALTER TABLE tenants ADD CONSTRAINT tenants_pkey PRIMARY KEY (project_id);
--
ALTER TABLE usage_cursors ADD CONSTRAINT usage_cursors_pkey PRIMARY KEY (topic);
--
ALTER TABLE workload_issuers ADD CONSTRAINT workload_issuers_pkey PRIMARY KEY (issuer_id);
--
ALTER TABLE workload_tokens ADD CONSTRAINT workload_tokens_pkey PRIMARY KEY (token_hash);
--
ALTER TABLE credentials ADD CONSTRAINT credentials_pat_hash_key UNIQUE (pat_hash);
--
ALTER TABLE credentials ADD CONSTRAINT credentials_user_id_key UNIQUE (user_id);
--
ALTER TABLE deliveries ADD CONSTRAINT deliveries_delivery_id_key UNIQUE (delivery_id);
--
ALTER TABLE edge_exposures ADD CONSTRAINT edge_exposures_hostname_key UNIQUE (hostname);
--
ALTER TABLE events ADD CONSTRAINT events_id_key UNIQUE (id);
--
ALTER TABLE tenants ADD CONSTRAINT tenants_slug_key UNIQUE (slug);
--
ALTER TABLE workload_issuers ADD CONSTRAINT workload_issuers_issuer_key UNIQUE (issuer);
--
ALTER TABLE autoscaling_groups ADD CONSTRAINT autoscaling_groups_check CHECK (((min <= desired) AND (desired <= max)));
--
ALTER TABLE edge_exposures ADD CONSTRAINT edge_exposures_check CHECK (((service IS NULL) <> (address IS NULL)));
--
ALTER TABLE agent_usage ADD CONSTRAINT agent_usage_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credentials(credential_id) ON DELETE CASCADE;
--
ALTER TABLE credential_usage ADD CONSTRAINT credential_usage_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credentials(credential_id) ON DELETE CASCADE;
--
ALTER TABLE deliveries ADD CONSTRAINT deliveries_target_id_fkey FOREIGN KEY (target_id) REFERENCES targets(target_id) ON DELETE CASCADE;
--
ALTER TABLE organisation_units ADD CONSTRAINT organisation_units_project_id_parent_fkey FOREIGN KEY (project_id, parent) REFERENCES organisation_units(project_id, path);
--
ALTER TABLE policies ADD CONSTRAINT policies_project_id_unit_fkey FOREIGN KEY (project_id, unit) REFERENCES organisation_units(project_id, path);
--
ALTER TABLE tenants ADD CONSTRAINT tenants_account_n_fkey FOREIGN KEY (account_n) REFERENCES accounts(number);
--
ALTER TABLE workload_tokens ADD CONSTRAINT workload_tokens_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES workload_issuers(issuer_id) ON DELETE CASCADE;
--
CREATE INDEX accounts_due ON public.accounts USING btree (COALESCE(due_at,
CASE
    WHEN (destroyer IS NULL) THEN closes_at
    ELSE '-infinity'::timestamp with time zone
END)) WHERE (state = 'closing'::text);
--
CREATE INDEX accounts_page ON public.accounts USING btree (created_at, number);
--
CREATE INDEX accounts_state ON public.accounts USING btree (state, created_at, number);
--
CREATE INDEX agent_areas_changed ON public.agent_areas USING btree (changed_at);
--
CREATE INDEX agent_calls_leases ON public.agent_calls USING btree (lease_ends);
--
CREATE INDEX agent_plans_agent ON public.agent_plans USING btree (project_id, user_id);
--
CREATE INDEX agent_plans_expiry ON public.agent_plans USING btree (expires_at);
--
CREATE INDEX agents_page_of_all ON public.credentials USING btree (created_at, credential_id) WHERE ((kind = 'mcp'::text) AND (state <> 'minting'::text));
--
CREATE INDEX agents_page_of_project ON public.credentials USING btree (project_id, created_at, credential_id) WHERE ((kind = 'mcp'::text) AND (state <> 'minting'::text));
--
CREATE INDEX alarms_due ON public.alarms USING btree (due_at) WHERE enabled;
--
CREATE INDEX alarms_project ON public.alarms USING btree (project_id, created_at, alarm_id);
--
CREATE INDEX autoscaling_groups_due ON public.autoscaling_groups USING btree (due_at);
--
CREATE UNIQUE INDEX autoscaling_groups_name ON public.autoscaling_groups USING btree (project_id, name);
--
CREATE INDEX credentials_created_by ON public.credentials USING btree (created_by) WHERE (kind <> 'member'::text);
--
CREATE INDEX credentials_deactivating ON public.credentials USING btree (deactivate_at) WHERE (deactivate_at IS NOT NULL);
--
CREATE UNIQUE INDEX credentials_email ON public.credentials USING btree (lower(email)) WHERE ((kind = 'member'::text) AND (email <> ''::text));
--
CREATE INDEX credentials_idle_of_all ON public.credentials USING btree (kind, idle_since, credential_id) WHERE ((kind <> 'member'::text) AND (state <> 'minting'::text) AND (state <> 'revoked'::text));
--
CREATE INDEX credentials_idle_of_project ON public.credentials USING btree (project_id, kind, idle_since, credential_id) WHERE ((kind <> 'member'::text) AND (state <> 'minting'::text) AND (state <> 'revoked'::text));
--
CREATE INDEX credentials_made_by ON public.credentials USING btree (made_by) WHERE (made_by IS NOT NULL);
--
CREATE INDEX credentials_member_due ON public.credentials USING btree (mint_ends) WHERE ((kind = 'member'::text) AND (mint_ends IS NOT NULL));
--
CREATE INDEX credentials_member_page ON public.credentials USING btree (created_at, credential_id) WHERE ((kind = 'member'::text) AND (state = 'active'::text));
--
CREATE INDEX credentials_member_page_of_project ON public.credentials USING btree (project_id, created_at, credential_id) WHERE ((kind = 'member'::text) AND (state = 'active'::text));
--
CREATE INDEX credentials_minting ON public.credentials USING btree (mint_ends) WHERE ((kind <> 'member'::text) AND (mint_ends IS NOT NULL));
--
CREATE INDEX credentials_of_project ON public.credentials USING btree (project_id, created_at);
--
CREATE INDEX credentials_of_unit ON public.credentials USING btree (project_id, ou) WHERE (ou IS NOT NULL);
--
CREATE INDEX credentials_owners ON public.credentials USING btree (project_id) WHERE (role = 'customer-owner'::text);
--
CREATE INDEX credentials_page_of_all ON public.credentials USING btree (created_at, credential_id) WHERE ((kind <> 'member'::text) AND (state <> 'minting'::text) AND (state <> 'revoked'::text));
--
CREATE INDEX credentials_page_of_project ON public.credentials USING btree (project_id, created_at, credential_id) WHERE ((kind <> 'member'::text) AND (state <> 'minting'::text) AND (state <> 'revoked'::text));
--
CREATE INDEX credentials_retiring ON public.credentials USING btree (revokes_at) WHERE ((revokes_at IS NOT NULL) AND (state <> 'revoked'::text));
--
CREATE UNIQUE INDEX credentials_rotates ON public.credentials USING btree (rotates) WHERE (rotates IS NOT NULL);
--
CREATE INDEX credentials_whole_page_of_all ON public.credentials USING btree (created_at, credential_id) WHERE ((kind <> 'member'::text) AND (state <> 'minting'::text));
--
CREATE INDEX credentials_whole_page_of_project ON public.credentials USING btree (project_id, created_at, credential_id) WHERE ((kind <> 'member'::text) AND (state <> 'minting'::text));
--
CREATE INDEX deliveries_age ON public.deliveries USING btree (created_at);
--
CREATE INDEX deliveries_of_target ON public.deliveries USING btree (target_id, number);
--
CREATE INDEX deliveries_oldest_waiting ON public.deliveries USING btree (created_at) WHERE (state = 'pending'::text);
--
CREATE UNIQUE INDEX deliveries_once ON public.deliveries USING btree (target_id, event_id) WHERE (NOT again);
--
CREATE INDEX deliveries_waiting ON public.deliveries USING btree (target_id, number) WHERE (state = 'pending'::text);
--
CREATE UNIQUE INDEX edge_claims_exposure ON public.edge_claims USING btree (exposure_id);
--
CREATE INDEX edge_claims_project ON public.edge_claims USING btree (project_id);
--
CREATE INDEX edge_claims_released ON public.edge_claims USING btree (released_at) WHERE (released_at IS NOT NULL);
--
CREATE UNIQUE INDEX edge_claims_verified ON public.edge_claims USING btree (domain) WHERE (verified_at IS NOT NULL);
--
CREATE INDEX edge_exposures_due ON public.edge_exposures USING btree (due_at);
--
CREATE UNIQUE INDEX edge_exposures_name ON public.edge_exposures USING btree (project_id, name) WHERE (removing IS NULL);
--
CREATE INDEX edge_exposures_page ON public.edge_exposures USING btree (project_id, created_at, exposure_id);
--
CREATE INDEX events_age ON public.events USING btree (topic, at);
--
CREATE INDEX events_of_project ON public.events USING btree (project_id, topic, sequence);
--
CREATE INDEX events_of_topic ON public.events USING btree (topic, sequence);
--
CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at);
--
CREATE INDEX incidents_ends ON public.incidents USING btree (ends_at);
--
CREATE INDEX keys_page_of_all ON public.credentials USING btree (created_at, credential_id) WHERE ((kind = 'api-key'::text) AND (state <> 'minting'::text));
--
CREATE INDEX onboardings_lease ON public.onboardings USING btree (lease_ends);
--
CREATE UNIQUE INDEX onboardings_slug ON public.onboardings USING btree (slug) WHERE (state <> 'resting'::text);
--
CREATE INDEX organisation_units_below ON public.organisation_units USING btree (project_id, parent);
--
CREATE INDEX organisation_units_page ON public.organisation_units USING btree (project_id, created_at, id);
--
CREATE INDEX policies_page ON public.policies USING btree (project_id, created_at, id);
--
CREATE INDEX purges_due ON public.purges USING btree (lease_ends) WHERE (lease_ends IS NOT NULL);
--
CREATE INDEX signup_requests_at ON public.signup_requests USING btree (at);
--
CREATE INDEX signup_requests_source ON public.signup_requests USING btree (source, at);
--
CREATE INDEX signups_email ON public.signups USING btree (lower(email), created_at);
--
CREATE INDEX signups_page ON public.signups USING btree (created_at, signup_id);
--
CREATE UNIQUE INDEX signups_queued ON public.signups USING btree (lower(email), org_key) WHERE (state = 'pending'::text);
--
CREATE INDEX signups_state ON public.signups USING btree (state, created_at, signup_id);
--
CREATE INDEX targets_due ON public.targets USING btree (due_at) WHERE (state = 'active'::text);
--
CREATE INDEX targets_project ON public.targets USING btree (project_id, created_at, target_id);
--
CREATE INDEX tenants_of_account ON public.tenants USING btree (account_n);
--
CREATE INDEX tenants_page ON public.tenants USING btree (created_at, project_id);
--
CREATE INDEX tier_changes_at ON public.tier_changes USING btree (at);
--
CREATE INDEX workload_issuers_page ON public.workload_issuers USING btree (created_at, issuer_id);
--
CREATE INDEX workload_issuers_project ON public.workload_issuers USING btree (project_id);
--
CREATE INDEX workload_tokens_expiry ON public.workload_tokens USING btree (expires_at);
--
CREATE INDEX workload_tokens_issuer ON public.workload_tokens USING btree (issuer_id);
--
CREATE INDEX workload_tokens_made_by ON public.workload_tokens USING btree (made_by) WHERE (made_by IS NOT NULL);
--
CREATE OR REPLACE FUNCTION public.count_credentials_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        -- In one order, so that two statements never wait for each other.
        INSERT INTO record_counts AS held (project_id, kind, state, count)
        SELECT project_id, kind, state, sum(change) FROM (SELECT project_id, kind, state, -1 AS change FROM gone WHERE state <> 'minting') AS changes
        GROUP BY project_id, kind, state HAVING sum(change) <> 0 ORDER BY project_id, kind, state
        ON CONFLICT (project_id, kind, state) DO UPDATE SET count = held.count + EXCLUDED.count;
        DELETE FROM record_counts WHERE count = 0 AND project_id IN (SELECT project_id FROM (SELECT project_id, kind, state FROM gone) AS of);
        RETURN NULL;
      END $function$
;
--
CREATE OR REPLACE FUNCTION public.count_credentials_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        -- In one order, so that two statements never wait for each other.
        INSERT INTO record_counts AS held (project_id, kind, state, count)
        SELECT project_id, kind, state, sum(change) FROM (SELECT project_id, kind, state, 1 AS change FROM added WHERE state <> 'minting') AS changes
        GROUP BY project_id, kind, state HAVING sum(change) <> 0 ORDER BY project_id, kind, state
        ON CONFLICT (project_id, kind, state) DO UPDATE SET count = held.count + EXCLUDED.count;
        
        RETURN NULL;
      END $function$
;
--
CREATE OR REPLACE FUNCTION public.count_credentials_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        -- In one order, so that two statements never wait for each other.
        INSERT INTO record_counts AS held (project_id, kind, state, count)
        SELECT project_id, kind, state, sum(change) FROM (SELECT project_id, kind, state, 1 AS change FROM added WHERE state <> 'minting' UNION ALL SELECT project_id, kind, state, -1 AS change FROM gone WHERE state <> 'minting') AS changes
        GROUP BY project_id, kind, state HAVING sum(change) <> 0 ORDER BY project_id, kind, state
        ON CONFLICT (project_id, kind, state) DO UPDATE SET count = held.count + EXCLUDED.count;
        
        RETURN NULL;
      END $function$
;
--
CREATE OR REPLACE FUNCTION public.count_tenants_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        -- In one order, so that two statements never wait for each other.
        INSERT INTO record_counts AS held (project_id, kind, state, count)
        SELECT project_id, kind, state, sum(change) FROM (SELECT '' AS project_id, 'tenant' AS kind, 'live' AS state, -1 AS change FROM gone ) AS changes
        GROUP BY project_id, kind, state HAVING sum(change) <> 0 ORDER BY project_id, kind, state
        ON CONFLICT (project_id, kind, state) DO UPDATE SET count = held.count + EXCLUDED.count;
        DELETE FROM record_counts WHERE count = 0 AND project_id IN (SELECT project_id FROM (SELECT '' AS project_id, 'tenant' AS kind, 'live' AS state FROM gone) AS of);
        RETURN NULL;
      END $function$
;
--
CREATE OR REPLACE FUNCTION public.count_tenants_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        -- In one order, so that two statements never wait for each other.
        INSERT INTO record_counts AS held (project_id, kind, state, count)
        SELECT project_id, kind, state, sum(change) FROM (SELECT '' AS project_id, 'tenant' AS kind, 'live' AS state, 1 AS change FROM added ) AS changes
        GROUP BY project_id, kind, state HAVING sum(change) <> 0 ORDER BY project_id, kind, state
        ON CONFLICT (project_id, kind, state) DO UPDATE SET count = held.count + EXCLUDED.count;
        
        RETURN NULL;
      END $function$
;
--
CREATE OR REPLACE FUNCTION public.count_tenants_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        -- In one order, so that two statements never wait for each other.
        INSERT INTO record_counts AS held (project_id, kind, state, count)
        SELECT project_id, kind, state, sum(change) FROM (SELECT '' AS project_id, 'tenant' AS kind, 'live' AS state, 1 AS change FROM added  UNION ALL SELECT '' AS project_id, 'tenant' AS kind, 'live' AS state, -1 AS change FROM gone ) AS changes
        GROUP BY project_id, kind, state HAVING sum(change) <> 0 ORDER BY project_id, kind, state
        ON CONFLICT (project_id, kind, state) DO UPDATE SET count = held.count + EXCLUDED.count;
        
        RETURN NULL;
      END $function$
;
--
CREATE OR REPLACE FUNCTION public.record_tier_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        INSERT INTO tier_changes (became) VALUES (NEW.tier);
      ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO tier_changes (was) VALUES (OLD.tier);
      ELSIF OLD.tier <> NEW.tier THEN
        INSERT INTO tier_changes (was, became) VALUES (OLD.tier, NEW.tier);
      END IF;
      RETURN NULL;
    END $function$
;
--
CREATE OR REPLACE FUNCTION public.tell_made()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF EXISTS (SELECT FROM credentials WHERE made_by = OLD.credential_id)
        OR EXISTS (SELECT FROM workload_tokens WHERE made_by = OLD.credential_id) THEN
        PERFORM pg_notify('portico_credentials', 'everybody in ' || OLD.project_id);
      END IF;
      RETURN NULL;
    END $function$
;
--
CREATE TRIGGER count_delete AFTER DELETE ON public.credentials REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_credentials_delete();
--
CREATE TRIGGER count_insert AFTER INSERT ON public.credentials REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_credentials_insert();
--
CREATE TRIGGER count_update AFTER UPDATE ON public.credentials REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_credentials_update();
--
CREATE TRIGGER tell_made AFTER DELETE OR UPDATE OF tier, state, role, billing_access, networks, ou, expires_at, revokes_at, made_by, user_id ON public.credentials FOR EACH ROW EXECUTE FUNCTION tell_made();
--
CREATE TRIGGER count_delete AFTER DELETE ON public.tenants REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_tenants_delete();
--
CREATE TRIGGER count_insert AFTER INSERT ON public.tenants REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tenants_insert();
--
CREATE TRIGGER count_update AFTER UPDATE ON public.tenants REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tenants_update();
--
CREATE TRIGGER record_tier_change AFTER INSERT OR DELETE OR UPDATE OF tier ON public.tenants FOR EACH ROW EXECUTE FUNCTION record_tier_change();
--
