import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Run once each, in order, at the start of every process. Never change one that was released; add another. */
export const migrations = {
  "0001_tenants": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE TABLE tenants (
        project_id text PRIMARY KEY,
        slug text NOT NULL UNIQUE,
        name text NOT NULL,
        tier text NOT NULL,
        suspended boolean NOT NULL DEFAULT false,
        -- the tier of a quota write that has begun and is not complete
        pending_tier text,
        -- the tiers of such writes before that one, which may still be in force in places
        reached_tiers jsonb NOT NULL DEFAULT '[]',
        -- what the tenant's upstream resources are stamped with
        stamp text NOT NULL,
        change_lease uuid,
        change_ends timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()
      )`
  }),
  "0002_credentials": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE TABLE credentials (
        credential_id text PRIMARY KEY,
        project_id text NOT NULL,
        user_id text NOT NULL UNIQUE,
        kind text NOT NULL,
        tier smallint NOT NULL,
        label text NOT NULL,
        state text NOT NULL,
        client_id text NOT NULL,
        -- SHA-256 of the personal access token, so that a revoked one is known by itself
        pat_hash text UNIQUE,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        -- until when a mint may take; afterwards it is swept
        mint_ends timestamptz
      )`
    yield* sql`CREATE INDEX credentials_of_project ON credentials (project_id, created_at)`
    yield* sql`CREATE INDEX credentials_minting ON credentials (mint_ends) WHERE state = 'minting'`
  }),
  "0003_onboardings": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE TABLE onboardings (
        attempt_id text PRIMARY KEY,
        name text NOT NULL,
        slug text NOT NULL,
        tier text NOT NULL,
        steps jsonb NOT NULL,
        -- the attempt's project, once a rollback has found it
        project_id text,
        state text NOT NULL,
        failure text,
        -- a call was left without an answer and may yet take effect
        unsettled boolean NOT NULL DEFAULT false,
        left_behind jsonb NOT NULL DEFAULT '[]',
        withdrawals integer NOT NULL DEFAULT 0,
        started_at timestamptz NOT NULL DEFAULT now(),
        -- who works on it; nobody while it is stuck or resting
        lease uuid,
        lease_ends timestamptz NOT NULL
      )`
    // A resting attempt has nothing left, so its name is free.
    yield* sql`CREATE UNIQUE INDEX onboardings_slug ON onboardings (slug) WHERE state <> 'resting'`
    yield* sql`CREATE INDEX onboardings_lease ON onboardings (lease_ends)`
  }),
  "0004_events": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE TABLE events (
        -- in the order of the commits, see EventLog; a session that cached numbers would break it
        sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id uuid NOT NULL UNIQUE,
        topic text NOT NULL,
        key text NOT NULL,
        at timestamptz NOT NULL,
        envelope jsonb NOT NULL
      )`
    yield* sql`CREATE INDEX events_of_topic ON events (topic, sequence)`
    yield* sql`CREATE INDEX events_age ON events (topic, at)`
  })
} as const
