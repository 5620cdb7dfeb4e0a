import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Clusters whose workloads act for a tenant, the tokens issued to them, and the signing keys of registry tokens. */
export const tokens = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE workload_issuers (
      issuer_id text PRIMARY KEY,
      -- compared letter by letter with what a token says of itself
      issuer text NOT NULL UNIQUE,
      project_id text NOT NULL,
      tier smallint NOT NULL,
      audience text NOT NULL,
      discovery_url text NOT NULL,
      -- pinned; without it the discovery document names it
      jwks_uri text,
      -- PEM of the authority behind the endpoint's certificate; without it the system's count
      ca text,
      subjects jsonb NOT NULL,
      max_lifetime_seconds integer NOT NULL,
      enabled boolean NOT NULL,
      -- grows with every change, and a token of an earlier one is dead
      revision integer NOT NULL DEFAULT 1,
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      changed_at timestamptz(3) NOT NULL DEFAULT now()
    )`
  yield* sql`CREATE INDEX workload_issuers_page ON workload_issuers (created_at, issuer_id)`
  yield* sql`CREATE INDEX workload_issuers_project ON workload_issuers (project_id)`
  yield* sql`
    CREATE TABLE workload_tokens (
      -- SHA-256 of the token, which is stored nowhere
      token_hash text PRIMARY KEY,
      issuer_id text NOT NULL REFERENCES workload_issuers ON DELETE CASCADE,
      revision integer NOT NULL,
      subject text NOT NULL,
      issued_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL
    )`
  yield* sql`CREATE INDEX workload_tokens_issuer ON workload_tokens (issuer_id)`
  yield* sql`CREATE INDEX workload_tokens_expiry ON workload_tokens (expires_at)`
  yield* sql`
    CREATE TABLE registry_keys (
      kid text PRIMARY KEY,
      -- as the key set shows it
      public_key jsonb NOT NULL,
      -- the private key, encrypted
      sealed text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      -- from when on it signs, until a later key does
      signs_from timestamptz(3) NOT NULL
    )`
})
