import { PermissionTier } from "@portico/contract/Access"
import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Duration, Effect, Layer, Schema, type Scope, Stream } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { credentialLock } from "./credentialLock.ts"
import { madeBelow, Makers, makersColumn } from "./makers.ts"
import { leasedOf } from "./leased.ts"
import { countOf, moment, momentsOf, rowsOf } from "./rows.ts"
import { within } from "./within.ts"

/** A member's role in the account. `customer` is a full member who manages no people. */
export const MemberRole = Schema.Literals([
  "customer-owner",
  "customer-admin",
  "customer",
  "customer-engineer",
  "customer-viewer"
])
export type MemberRole = typeof MemberRole.Type

/** Why a credential is held. */
export const HoldReason = Schema.Literals(["project_deletion", "account_closure"])
export type HoldReason = typeof HoldReason.Type

/**
 * `minting`: the call to the identity provider is under way; the credential
 * does not work yet. `suspended`: held, and restored later. `revoked`: kept as
 * an audit trail. Expiry is not a state but a comparison with the clock.
 */
export const CredentialRow = Schema.Struct({
  credential_id: Schema.String,
  project_id: Schema.String,
  user_id: Schema.String,
  /** `member` is a person's membership, which this table stores too. */
  kind: Schema.Literals(["api-key", "mcp", "member"]),
  tier: PermissionTier,
  label: Schema.String,
  state: Schema.Literals(["minting", "active", "suspended", "revoked"]),
  client_id: Schema.String,
  pat_hash: Schema.NullOr(Schema.String),
  created_by: Schema.String,
  /** The record that made this one and bounds its rights; null when no record made it. */
  made_by: Schema.NullOr(Schema.String),
  created_at: moment,
  expires_at: Schema.NullOr(moment),
  revoked_at: Schema.NullOr(moment),
  mint_ends: Schema.NullOr(moment),
  /** A member's role in the account; null for machines. */
  role: Schema.NullOr(MemberRole),
  /** Whether a member may see what the account costs; an owner always may. */
  billing_access: Schema.Boolean,
  /** Of members; empty for machines. */
  display_name: Schema.String,
  email: Schema.String,
  /** The reasons for its suspension. It becomes active again when the last one is released. */
  held: Schema.Array(HoldReason),
  /** The CIDR prefixes that it may be used from; null for any address. */
  networks: Schema.NullOr(Schema.Array(Schema.String)),
  last_used_at: Schema.NullOr(moment),
  last_used_from: Schema.NullOr(Schema.String),
  /** Dotted path of its organisation unit; null for the account itself. */
  ou: Schema.NullOr(Schema.String),
  /** Units of former makers whose policies apply too, see `Rotations`. */
  former_units: Schema.Array(Schema.String),
  /** The credential that it was made to replace. */
  rotates: Schema.NullOr(Schema.String),
  /** The credential that replaces it, and when this one ends because of that: from then on it counts as revoked. */
  rotated_to: Schema.NullOr(Schema.String),
  revokes_at: Schema.NullOr(moment),
  /** The invitation or removal that holds the lease on a membership, until `mint_ends`. */
  attempt: Schema.NullOr(Schema.String)
})
export type CredentialRow = typeof CredentialRow.Type

/** Whether a member, or a machine credential by itself, may see what the account costs. */
export const seesCosts = ({
  billing_access,
  kind,
  role
}: Pick<CredentialRow, "billing_access" | "kind" | "role">): boolean =>
  kind !== "member" || billing_access || role === "customer-owner"

/** A record with the chain of makers that bounds its rights. */
export const DerivedRow = Schema.Struct({ ...CredentialRow.fields, makers: Makers })
export type DerivedRow = typeof DerivedRow.Type

/** The defaults of a new record. */
export const unless = {
  made_by: null,
  role: null,
  billing_access: false,
  display_name: "",
  email: "",
  held: [],
  networks: null,
  last_used_at: null,
  last_used_from: null,
  ou: null,
  former_units: [],
  rotates: null,
  rotated_to: null,
  revokes_at: null,
  attempt: null
} satisfies Partial<CredentialRow>

export type NewCredential = Omit<CredentialRow, "created_at" | "revoked_at" | "mint_ends" | keyof typeof unless> &
  Partial<
    Pick<
      CredentialRow,
      "made_by" | "role" | "billing_access" | "display_name" | "email" | "networks" | "ou" | "former_units" | "rotates"
    >
  >

/** The sweep removes a mint that takes longer. The lease exceeds the sum of the time-outs of all its upstream calls. */
export const mintLease = Duration.minutes(2)

/** The notification channel for user ids whose record changed. */
export const channel = "portico_credentials"

/** A change that notifies every process on commit: of the user id of each changed row, or of another message. */
export const notifying = (sql: SqlClient.SqlClient, change: Statement.Fragment, message = sql`user_id`) => sql`
  WITH changed AS (${change} RETURNING *), told AS (SELECT pg_notify(${channel}, ${message}) FROM changed)
  SELECT changed.* FROM changed, told`

/** The payload prefix for a change that affects all records of a project. A user id contains no blank. */
const projectPrefix = "everybody in "
export const everybodyIn = (projectId: string): string => `${projectPrefix}${projectId}`
/** The project of such a payload; undefined when the payload is a user id. */
export const projectMeant = (change: string): string | undefined =>
  change.startsWith(projectPrefix) ? change.slice(projectPrefix.length) : undefined

/** The keys by which one record can be looked up. */
export type Derived = { readonly id: string } | { readonly userId: string } | { readonly patHash: string }

/** Credentials and memberships: the project a user id acts for, and its tier. No secret is stored. */
export class Credentials extends Context.Service<
  Credentials,
  {
    insert(credential: NewCredential): Effect.Effect<CredentialRow>
    /**
     * Inserts unless the project's live records already reach the allowance,
     * and then returns undefined. Parallel calls for one project queue.
     */
    insertWithin(credential: NewCredential, allowance: number): Effect.Effect<CredentialRow | undefined>
    /**
     * Completes a mint. The credential is suspended when its project is held
     * meanwhile. Undefined when the sweep removed the mint.
     */
    activate(credentialId: string, patHash: string): Effect.Effect<CredentialRow | undefined>
    remove(credentialId: string): Effect.Effect<void>
    find(credentialId: string, projectId?: string): Effect.Effect<CredentialRow | undefined>
    findByUser(userId: string): Effect.Effect<CredentialRow | undefined>
    /** A record with its chain of makers, in one query. */
    derived(by: Derived, projectId?: string): Effect.Effect<DerivedRow | undefined>
    countLive(projectId: string): Effect.Effect<number>
    /**
     * Repeatable: the first time of revocation stays. What the credential made
     * is revoked from this moment on too. The `revokes_at` of those is set, so
     * that the sweep claims them as overdue and cleans up after them.
     */
    revoke(credentialId: string): Effect.Effect<CredentialRow | undefined>
    /** All machine credentials below a record in the chain of makers, oldest first. */
    madeBelow(id: string): Effect.Effect<ReadonlyArray<CredentialRow>>
    /**
     * Claims mints that were cut short, or revoked before they were complete.
     * Each goes to one replica, which cleans up after it.
     */
    readonly claimAbandonedMints: Effect.Effect<ReadonlyArray<CredentialRow>>
    /**
     * User ids whose record changed in any process, from the moment the outer
     * effect completes. The stream fails when it may have missed a change.
     */
    readonly changes: Effect.Effect<Stream.Stream<string, unknown>, never, Scope.Scope>
  }
>()("portico/store/Credentials") {
  static readonly layer = Layer.effect(
    Credentials,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient
      const { json } = pg
      const { byId, first, one, rows } = rowsOf(CredentialRow)
      const derivedRows = rowsOf(DerivedRow)
      const { after, now } = momentsOf(sql)
      const mints = leasedOf(sql, {
        table: "credentials",
        key: "credential_id",
        holder: null,
        ends: "mint_ends",
        time: mintLease
      })
      /** A credential and its successor count as one against the allowance. */
      const live = sql`state <> 'revoked' AND (expires_at IS NULL OR expires_at > ${now})
        AND rotated_to IS NULL AND NOT (state = 'minting' AND rotates IS NOT NULL)`

      /** Changes one record and notifies every process of its user id on commit. */
      const changeAndNotify = (change: Statement.Fragment) => first(notifying(sql, change))

      const lock = credentialLock(sql)

      /**
       * The reasons a project is held for. FOR SHARE makes an insert wait for a
       * hold that is being committed, so that the new credential is held too.
       */
      const heldIn = (projectId: string) =>
        sql`COALESCE((SELECT closing FROM tenants WHERE project_id = ${projectId} FOR SHARE), '[]')`

      const insert = (_: NewCredential) =>
        one(sql`
          INSERT INTO credentials
            (credential_id, project_id, user_id, kind, tier, label, state, client_id, pat_hash, created_by, made_by, expires_at, mint_ends,
             role, billing_access, display_name, email, networks, ou, former_units, rotates, held)
          VALUES
            (${_.credential_id}, ${_.project_id}, ${_.user_id}, ${_.kind}, ${_.tier}, ${_.label}, ${_.state}, ${_.client_id},
             ${_.pat_hash}, ${_.created_by}, ${_.made_by ?? null}, ${_.expires_at === null ? null : DateTime.toDateUtc(_.expires_at)},
             ${_.state === "minting" ? after(mintLease) : null},
             ${_.role ?? null}, ${_.billing_access ?? false}, ${_.display_name ?? ""}, ${_.email ?? ""},
             ${_.networks == null ? null : json(_.networks)}, ${_.ou ?? null},
             ${json(_.former_units ?? [])}, ${_.rotates ?? null},
             ${_.kind === "member" ? sql`'[]'` : heldIn(_.project_id)})
          RETURNING *`)

      const countLive = (projectId: string) =>
        countOf(sql`SELECT count(*)::int AS count FROM credentials WHERE project_id = ${projectId} AND ${live}`)

      return Credentials.of({
        insert,
        insertWithin: (credential, allowance) =>
          Effect.orDie(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* lock(credential.project_id)
                return (yield* countLive(credential.project_id)) >= allowance ? undefined : yield* insert(credential)
              })
            )
          ),
        activate: (credentialId, patHash) =>
          changeAndNotify(sql`
            UPDATE credentials SET state = CASE held WHEN '[]' THEN 'active' ELSE 'suspended' END,
              pat_hash = ${patHash}, mint_ends = NULL
            WHERE credential_id = ${credentialId} AND state = 'minting' AND mint_ends > ${now}`),
        remove: (credentialId) =>
          Effect.asVoid(changeAndNotify(sql`DELETE FROM credentials WHERE credential_id = ${credentialId}`)),
        find: (credentialId, projectId) =>
          byId(
            credentialId,
            sql`SELECT * FROM credentials WHERE credential_id = ${credentialId} ${within(sql, projectId)}`
          ),
        findByUser: (userId) => first(sql`SELECT * FROM credentials WHERE user_id = ${userId}`),
        derived: (by, projectId) => {
          const named =
            "id" in by
              ? sql`credential_id = ${by.id}`
              : "userId" in by
                ? sql`user_id = ${by.userId}`
                : sql`pat_hash = ${by.patHash}`
          return derivedRows.byId(
            "id" in by ? by.id : "",
            sql`SELECT own.*, ${makersColumn(sql, sql`own.made_by`)} FROM credentials AS own
              WHERE ${named} ${within(sql, projectId)}`
          )
        },
        countLive,
        revoke: (credentialId) =>
          Effect.orDie(
            sql.withTransaction(
              Effect.gen(function* () {
                // A removal revokes a whole chain of credentials at once, each with what it made. The lock serialises
                // these revocations.
                const [own] = yield* sql<{ project_id: string }>`
                  SELECT project_id FROM credentials WHERE credential_id = ${credentialId}`
                if (own !== undefined) yield* lock(own.project_id)
                // Rows before counters, as everywhere: the counters follow from the state of the row itself.
                yield* sql`
                  UPDATE credentials SET revokes_at = LEAST(revokes_at, ${now})
                  WHERE kind <> 'member' AND state <> 'revoked' AND (revokes_at IS NULL OR revokes_at > ${now})
                    AND credential_id = ANY(ARRAY(${madeBelow(sql, sql`${credentialId}::text`)}))`
                return yield* changeAndNotify(sql`
                  UPDATE credentials SET state = 'revoked', revoked_at = COALESCE(revoked_at, LEAST(revokes_at, ${now}))
                  WHERE credential_id = ${credentialId}`)
              })
            )
          ),
        madeBelow: (id) =>
          rows(sql`
            SELECT * FROM credentials
            WHERE kind <> 'member' AND credential_id = ANY(ARRAY(${madeBelow(sql, sql`${id}::text`)}))
            ORDER BY created_at, credential_id`),
        claimAbandonedMints: rows(sql`${mints.claim({ if: sql`kind <> 'member'` })} RETURNING *`),
        changes: Effect.map(Effect.orDie(pg.listen(channel)), (queue) =>
          Stream.map(Stream.fromQueue(queue), (_) => _.payload)
        )
      })
    })
  )
}
