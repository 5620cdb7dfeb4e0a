import { PermissionTier } from "@portico/contract/Access"
import { DateTime, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/**
 * One link in the chain of makers that bounds the rights of a credential or
 * workload token: its maker, the maker of that, and so on up to a person, or to
 * a record without a recorded maker (made by an administrator, or a user of the
 * static map).
 */
export const Maker = Schema.Struct({
  id: Schema.String,
  /**
   * Its name in the API: a credential's id, a person's user id, or the id of the mapping of a workload's cluster. Null
   * when the record no longer exists.
   */
  public_id: Schema.NullOr(Schema.String),
  kind: Schema.Literals(["member", "api-key", "mcp", "workload"]),
  tier: PermissionTier,
  /** `gone`: the record no longer exists, so what it made has no rights. */
  state: Schema.Literals(["minting", "active", "suspended", "revoked", "gone"]),
  /** Whether it may see what the account costs. */
  billing: Schema.Boolean,
  networks: Schema.NullOr(Schema.Array(Schema.String)),
  ou: Schema.NullOr(Schema.String),
  former_units: Schema.Array(Schema.String),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromString),
  revokes_at: Schema.NullOr(Schema.DateTimeUtcFromString)
})
export type Maker = typeof Maker.Type

/** The nearest first. */
export const Makers = Schema.Array(Maker)
export type Makers = typeof Makers.Type

/**
 * The longest chain: nothing is minted below this many makers. A chain has no
 * cycles, because a record names a maker that existed before it.
 */
export const longestChain = 16

/** How much of a chain is read. A longer chain ends in a maker that is `gone`. */
export const maxChainRead = longestChain * 2

/**
 * The {@link Makers} above `madeBy` as a column of the query that reads the
 * record. It costs one key lookup per maker.
 */
export const makersColumn = (sql: SqlClient.SqlClient, madeBy: Statement.Fragment) => sql`(
  WITH RECURSIVE chain AS (
    SELECT 1 AS depth, ${madeBy} AS id
    UNION ALL
    SELECT chain.depth + 1, COALESCE(c.made_by, t.made_by)
    FROM chain
    LEFT JOIN credentials AS c ON c.credential_id = chain.id
    LEFT JOIN workload_tokens AS t ON t.token_hash = chain.id
    WHERE chain.id IS NOT NULL AND chain.depth <= ${maxChainRead})
  SELECT COALESCE(jsonb_agg(jsonb_build_object(
    'id', chain.id,
    'public_id', CASE WHEN c.kind = 'member' THEN c.user_id ELSE COALESCE(c.credential_id, t.issuer_id) END,
    'kind', COALESCE(c.kind, 'workload'),
    'tier', COALESCE(c.tier, i.tier, 0),
    'state', CASE
      WHEN chain.depth > ${maxChainRead} THEN 'gone'
      WHEN c.credential_id IS NOT NULL THEN c.state
      WHEN t.token_hash IS NULL THEN 'gone'
      WHEN t.revision = i.revision AND i.enabled THEN 'active'
      ELSE 'revoked' END,
    'billing', c.credential_id IS NULL OR c.kind <> 'member' OR c.billing_access OR c.role IS NOT DISTINCT FROM 'customer-owner',
    'networks', c.networks,
    'ou', c.ou,
    'former_units', COALESCE(c.former_units, '[]'),
    'expires_at', COALESCE(c.expires_at, t.expires_at),
    'revokes_at', c.revokes_at) ORDER BY chain.depth), '[]')
  FROM chain
  LEFT JOIN credentials AS c ON c.credential_id = chain.id
  LEFT JOIN workload_tokens AS t ON t.token_hash = chain.id
  LEFT JOIN workload_issuers AS i ON i.issuer_id = t.issuer_id
  WHERE chain.id IS NOT NULL) AS makers`

/**
 * A query with the one column `id`: the ids of all credentials and workload
 * tokens below a record in the chain of makers.
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

/** The units whose policies bind a record, and what it made. Without any, only the account's own policy does. */
export const unitsOf = ({ former_units, ou }: Pick<Maker, "former_units" | "ou">): ReadonlyArray<string> =>
  ou === null ? former_units : [ou, ...former_units]

/** The earlier of two expiries; null means never. */
export const earlier = (a: DateTime.Utc | null, b: DateTime.Utc | null): DateTime.Utc | null =>
  a === null ? b : b === null ? a : DateTime.min(a, b)
