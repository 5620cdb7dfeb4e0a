import { PermissionTier } from "@portico/contract/Access"
import { DateTime, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/**
 * One of those that a credential or a workload token has its rights from: what
 * made it, what made that, and so on up to a person, or to something that was
 * made without a record (by an administrator, or a user of the static map).
 */
export const Maker = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["member", "api-key", "mcp", "workload"]),
  tier: PermissionTier,
  /** `gone`: there is no such record any more, and so what it made has no rights. */
  state: Schema.Literals(["minting", "active", "suspended", "revoked", "gone"]),
  /** Whether it may see what the account costs. */
  billing: Schema.Boolean,
  networks: Schema.NullOr(Schema.Array(Schema.String)),
  ou: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromString),
  revokes_at: Schema.NullOr(Schema.DateTimeUtcFromString)
})
export type Maker = typeof Maker.Type

/** The nearest first. */
export const Makers = Schema.Array(Maker)
export type Makers = typeof Makers.Type

/**
 * How long a chain may become: nothing is minted below so many makers. A chain
 * cannot be a circle, because a record names one that was there before it.
 */
export const longestChain = 16

/** One more is read than can be there; a chain that goes on behind it ends in a maker that is `gone`. */
export const mostRead = longestChain * 2

/** {@link Makers} above `madeBy` as a column, in the query that reads the record: one lookup by a key for each of them. */
export const makersColumn = (sql: SqlClient.SqlClient, madeBy: Statement.Fragment) => sql`(
  WITH RECURSIVE chain AS (
    SELECT 1 AS depth, ${madeBy} AS id
    UNION ALL
    SELECT chain.depth + 1, COALESCE(c.made_by, t.made_by)
    FROM chain
    LEFT JOIN credentials AS c ON c.credential_id = chain.id
    LEFT JOIN workload_tokens AS t ON t.token_hash = chain.id
    WHERE chain.id IS NOT NULL AND chain.depth <= ${mostRead})
  SELECT COALESCE(jsonb_agg(jsonb_build_object(
    'id', chain.id,
    'kind', COALESCE(c.kind, 'workload'),
    'tier', COALESCE(c.tier, i.tier, 0),
    'state', CASE
      WHEN chain.depth > ${mostRead} THEN 'gone'
      WHEN c.credential_id IS NOT NULL THEN c.state
      WHEN t.token_hash IS NULL THEN 'gone'
      WHEN t.revision = i.revision AND i.enabled THEN 'active'
      ELSE 'revoked' END,
    'billing', c.credential_id IS NULL OR c.kind <> 'member' OR c.billing_access OR c.role IS NOT DISTINCT FROM 'customer-owner',
    'networks', c.networks,
    'ou', c.ou,
    'expires_at', COALESCE(c.expires_at, t.expires_at),
    'revokes_at', c.revokes_at) ORDER BY chain.depth), '[]')
  FROM chain
  LEFT JOIN credentials AS c ON c.credential_id = chain.id
  LEFT JOIN workload_tokens AS t ON t.token_hash = chain.id
  LEFT JOIN workload_issuers AS i ON i.issuer_id = t.issuer_id
  WHERE chain.id IS NOT NULL) AS makers`

/**
 * The ids of all that a record made, through however many others, as a query
 * with the one column `id`: credentials and workload tokens.
 */
export const madeBelow = (sql: SqlClient.SqlClient, maker: Statement.Fragment) => sql`
  WITH RECURSIVE below AS (
    SELECT ${maker} AS id
    UNION
    SELECT made.id FROM below CROSS JOIN LATERAL (
      SELECT credential_id AS id FROM credentials WHERE made_by = below.id
      UNION ALL
      SELECT token_hash FROM workload_tokens WHERE made_by = below.id) AS made)
  SELECT id FROM below WHERE id <> ${maker}`

/** The earlier one of two ends; null is never. */
export const earlier = (a: DateTime.Utc | null, b: DateTime.Utc | null): DateTime.Utc | null =>
  a === null ? b : b === null ? a : DateTime.min(a, b)
