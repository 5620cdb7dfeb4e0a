import { PermissionTier } from "@portico/contract/Access"
import { DateTime, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { CredentialRow } from "./Credentials.ts"
import type { Memory } from "./Memory.ts"

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
const mostRead = longestChain * 2

/** Whether a membership, or a machine by itself, may see what the account costs. */
export const seesCosts = ({
  billing_access,
  kind,
  role
}: Pick<CredentialRow, "billing_access" | "kind" | "role">): boolean =>
  kind !== "member" || billing_access || role === "customer-owner"

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

/** {@link makersColumn} of the tables in memory. */
export const makersIn = (memory: Memory["Service"], madeBy: string | null): Makers => {
  const makers: Array<Maker> = []
  let id = madeBy
  while (id !== null) {
    const maker = makers.length < mostRead ? makerIn(memory, id) : undefined
    makers.push(maker?.shown ?? gone(id))
    id = maker?.madeBy ?? null
  }
  return makers
}

const makerIn = (
  { credentials, workloadIssuers, workloadTokens }: Memory["Service"],
  id: string
): { readonly shown: Maker; readonly madeBy: string | null } | undefined => {
  const row = credentials.get(id)
  if (row !== undefined) {
    const { expires_at, kind, networks, ou, revokes_at, state, tier } = row
    const shown = { id, kind, tier, state, billing: seesCosts(row), networks, ou, expires_at, revokes_at }
    return { shown, madeBy: row.made_by }
  }
  const token = workloadTokens.get(id)
  if (token === undefined) return undefined
  const issuer = workloadIssuers.get(token.issuer_id)
  const works = issuer !== undefined && issuer.enabled && issuer.revision === token.revision
  const shown = {
    ...gone(id),
    tier: issuer?.tier ?? 0,
    state: works ? "active" : "revoked",
    expires_at: token.expires_at
  } as const
  return { shown, madeBy: token.made_by }
}

const gone = (id: string): Maker => ({
  id,
  kind: "workload",
  tier: 0,
  state: "gone",
  billing: true,
  networks: null,
  ou: null,
  expires_at: null,
  revokes_at: null
})

/** {@link madeBelow} of the tables in memory. */
export const madeBelowIn = ({ credentials, workloadTokens }: Memory["Service"], maker: string): ReadonlySet<string> => {
  const below = new Set([maker])
  // It grows while it is gone through.
  for (const id of below) {
    for (const row of credentials.values()) if (row.made_by === id) below.add(row.credential_id)
    for (const token of workloadTokens.values()) if (token.made_by === id) below.add(token.token_hash)
  }
  below.delete(maker)
  return below
}

/** The earlier one of two ends; null is never. */
export const earlier = (a: DateTime.Utc | null, b: DateTime.Utc | null): DateTime.Utc | null =>
  a === null ? b : b === null ? a : DateTime.min(a, b)
