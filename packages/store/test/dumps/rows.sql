-- At least one row in every table, as a platform that runs for a while has them. A new table gets one here; a story
-- fails until it has. Of an older schema the statements on what it lacks are left out by the story that needs them.

INSERT INTO accounts (name, state, closes_at, window_days, reason, created_at)
VALUES ('Acme', 'open', NULL, NULL, NULL, '2026-01-01T00:00:00Z'),
  ('Initech', 'closing', '2100-01-01T00:00:00Z', 30, 'they asked', '2026-01-02T00:00:00Z');

INSERT INTO tenants (project_id, slug, name, tier, stamp, account_n, created_at)
VALUES ('project-1', 'acme', 'Acme', 'standard', 'attempt-1', 1, '2026-01-01T00:00:00Z'),
  ('project-2', 'initech', 'Initech', 'discovery', 'attempt-2', 2, '2026-01-02T00:00:00Z');
UPDATE tenants SET tier = 'extension' WHERE project_id = 'project-2';

INSERT INTO credentials (credential_id, project_id, kind, tier, state, label, user_id, client_id, created_by, role, email)
VALUES ('member-1', 'project-1', 'member', 2, 'active', 'ann@acme.example', 'user-1', '', 'operator', 'customer-owner', 'ann@acme.example'),
  ('cred-1', 'project-1', 'api-key', 1, 'active', 'deploy', 'user-2', 'client-2', 'user-1', NULL, ''),
  ('cred-2', 'project-1', 'mcp', 0, 'revoked', 'agent', 'user-3', 'client-3', 'user-1', NULL, '');
UPDATE credentials SET made_by = 'member-1' WHERE credential_id <> 'member-1';
INSERT INTO credential_usage (credential_id, call_count, last_call_at) VALUES ('cred-1', 12, '2026-02-01T00:00:00Z');

INSERT INTO onboardings (attempt_id, slug, name, tier, state, steps, lease_ends, failure)
VALUES ('attempt-3', 'globex', 'Globex', 'discovery', 'resting', '[]', '2026-01-03T00:00:00Z', 'keystone was away');

INSERT INTO events (id, topic, key, at, envelope)
SELECT gen_random_uuid(), topic, 'key-1', '2026-02-01T00:00:00Z',
  jsonb_build_object('id', 'event-1', 'topic', topic, 'kind', 'made', 'key', 'key-1', 'project_id', 'project-1', 'data', '{}'::jsonb)
FROM unnest(ARRAY['api.audit', 'alarms', 'billing.lifecycle']) AS topic;

INSERT INTO signups (signup_id, email, org_name, org_key, created_at)
VALUES ('signup-1', 'ann@globex.example', 'Globex', 'globex', '2026-02-01T00:00:00Z');
INSERT INTO signup_requests (source, at) VALUES ('192.0.2.1', '2026-02-01T00:00:00Z');

INSERT INTO invitation_mails (project_id, member_id, at) VALUES ('project-1', 'member-1', '2026-02-01T00:00:00Z');
INSERT INTO event_mails (project_id, at) VALUES ('project-1', '2026-02-01T00:00:00Z');

INSERT INTO purges (project_id, request_id, requested_by, reason, state)
VALUES ('project-9', 'request-1', 'user-1', 'project_deletion', 'done');

INSERT INTO organisation_units (id, project_id, path, parent, created_by)
VALUES ('unit-1', 'project-1', 'a', NULL, 'user-1'), ('unit-2', 'project-1', 'a.b', 'a', 'user-1');
INSERT INTO policies (id, project_id, ou, max_tier, denies, updated_by)
VALUES ('policy-1', 'project-1', '', 1, '[]', 'user-1'), ('policy-2', 'project-1', 'a.b', 0, '[]', 'user-1');

INSERT INTO workload_issuers (issuer_id, project_id, issuer, discovery_url, audience, subjects, tier, enabled, max_lifetime_seconds, created_by)
VALUES ('wi-1', 'project-1', 'https://cluster.example', 'https://cluster.example', 'portico', '[]', 1, true, 3600, 'operator');
INSERT INTO workload_tokens (token_hash, issuer_id, subject, revision, issued_at, expires_at)
VALUES ('hash-1', 'wi-1', 'system:serviceaccount:a:b', 1, '2026-02-01T00:00:00Z', '2100-01-01T00:00:00Z');

INSERT INTO registry_keys (kid, public_key, sealed, signs_from)
VALUES ('kid-1', '{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"kid-1","alg":"RS256","use":"sig"}', 'sealed', '2026-01-01T00:00:00Z');
INSERT INTO relays (topic, position, failures, lease_ends) VALUES ('billing.lifecycle', 1, 0, '2026-01-01T00:00:00Z');
INSERT INTO leases (name, lease, lease_ends) VALUES ('ledger', gen_random_uuid(), '2026-01-01T00:00:00Z');

INSERT INTO edge_exposures (exposure_id, project_id, name, hostname, service, port, domain, created_at, due_at)
VALUES ('edge-1', 'project-1', 'web', 'web.edge.example', 'web', 80, 'shop.example', '2026-01-01T00:00:00Z', '2100-01-01T00:00:00Z');
INSERT INTO edge_claims (domain, project_id, challenge, exposure_id, claimed_at)
VALUES ('shop.example', 'project-1', 'challenge', 'edge-1', '2026-01-01T00:00:00Z');

INSERT INTO autoscaling_groups (group_id, project_id, name, min, max, desired, cooldown_seconds, template, policies, created_by, created_at, due_at)
VALUES ('group-1', 'project-1', 'workers', 1, 3, 2, 60, '{}', '[]', 'user-1', '2026-01-01T00:00:00Z', '2100-01-01T00:00:00Z');

INSERT INTO incidents (incident_id, kind, title, message, severity, services, starts_at, created_by, created_at)
VALUES ('incident-1', 'incident', 'Slow disks', 'We are on it', 'minor', '[]', '2026-01-01T00:00:00Z', 'operator', '2026-01-01T00:00:00Z');

INSERT INTO alarms (alarm_id, project_id, name, rule, severity, state, reason, enabled, created_by, created_at, due_at)
VALUES ('alarm-1', 'project-1', 'busy', '{}', 'warning', 'ok', 'below', true, 'user-1', '2026-01-01T00:00:00Z', '2100-01-01T00:00:00Z');

INSERT INTO targets (target_id, project_id, kind, settings, secrets, topics, kinds, from_sequence, state, served_at, created_by, created_at, updated_at)
VALUES ('target-1', 'project-1', 'webhook', '{"url":"https://hooks.example/"}', '[{"sealed":"sealed","ends_at":null}]', '["alarms"]', '[]', 0, 'active', '2026-01-01T00:00:00Z', 'user-1', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
INSERT INTO deliveries (target_id, event_id, topic, kind, again, created_at)
VALUES ('target-1', gen_random_uuid(), 'alarms', 'alarm.state_changed', false, '2026-02-01T00:00:00Z');

INSERT INTO idempotency_keys (entry, fingerprint, tier, status, headers, body, redacted, expires_at)
VALUES ('entry-1', 'body-1', 1, 201, '{}', '{}', '[]', '2100-01-01T00:00:00Z');

INSERT INTO agent_calls (id, topic, key, at, envelope, lease_ends)
VALUES (gen_random_uuid(), 'agent.actions', 'user-3', '2026-02-01T00:00:00Z', '{}', '2100-01-01T00:00:00Z');
INSERT INTO agent_usage (credential_id, calls, refused, last_call_at) VALUES ('cred-2', 3, 1, '2026-02-01T00:00:00Z');
INSERT INTO agent_settings (project_id, confirm) VALUES ('project-1', '[]');
INSERT INTO agent_plans (plan_id, project_id, user_id, sealed, expires_at)
VALUES ('plan-1', 'project-1', 'user-3', 'sealed', '2100-01-01T00:00:00Z');
INSERT INTO agent_areas (user_id, areas, changed_at) VALUES ('user-3', '[]', '2026-02-01T00:00:00Z');

INSERT INTO console_sessions (session_hash, plane, person, sealed, access_hash, access_ends, renewed_at, expires_at)
VALUES ('session-1', 'customer', 'user-3', 'sealed', 'access-1', '2100-01-01T00:00:00Z', '2026-02-01T00:00:00Z', '2100-01-01T00:00:00Z');
