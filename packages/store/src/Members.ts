import type { PageRequest } from "@portico/contract/Page"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { countsOf } from "./counts.ts"
import { channel, CredentialRow, Credentials, type MemberRole, notifying } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { type Begun, type Invitation, ListedMember, memberLease, memberTiers, recordOf } from "./memberRows.ts"
import { madeBelow } from "./makers.ts"
import type { Found } from "./Pages.ts"
import { lockedIn, momentsOf, rowsOf, run, some, sqlPage } from "./rows.ts"
import { within } from "./within.ts"

/**
 * The people of the accounts. A membership is a row of the table `credentials`:
 * `minting` while its person is being invited, `active`, and `revoked` while it
 * is being removed; then the row is deleted. An address has one membership
 * across all projects, compared without case. A project never loses its last
 * owner, however many removals and changes run in parallel.
 */
export class Members extends Context.Service<
  Members,
  {
    /** Begins an invitation, or takes over one that was cut short. */
    begin(invitation: Invitation, allowance: number): Effect.Effect<Begun>
    /**
     * Completes the invitation once the person's login exists. Undefined when
     * another attempt took over, or the lease has passed.
     */
    complete(row: CredentialRow, userId: string): Effect.Effect<CredentialRow | undefined>
    /** Renews the invitation's lease. False when another attempt took over, or the invitation is complete or gone. */
    renew(row: CredentialRow): Effect.Effect<boolean>
    /**
     * Ends the work on the invitation, but keeps the end of the lease. At that
     * time the sweep looks for late effects of the invitation.
     */
    rest(row: CredentialRow): Effect.Effect<void>
    /**
     * Deletes the record of an invitation or member of which nothing is left.
     * False when another attempt holds it meanwhile.
     */
    drop(row: CredentialRow): Effect.Effect<boolean>
    /**
     * Inserts a member whose login already exists, regardless of the allowance.
     * Undefined when the address has a membership.
     */
    insert(invitation: Invitation, userId: string): Effect.Effect<CredentialRow | undefined>
    /** A member, including one that is being removed. */
    find(userId: string, projectId?: string): Effect.Effect<CredentialRow | undefined>
    /** The membership of the address, in any state. */
    findByEmail(email: string): Effect.Effect<CredentialRow | undefined>
    /** Active members, oldest first; of all projects when `projectId` is undefined. */
    page(projectId: string | undefined, page: PageRequest): Effect.Effect<Found<ListedMember>>
    /** All memberships of a project, in any state. */
    ofProject(projectId: string): Effect.Effect<ReadonlyArray<CredentialRow>>
    countOwners(projectId: string): Effect.Effect<number>
    /** Changes the role and its tier, unless the project would be left without an owner. */
    setRole(row: CredentialRow, role: MemberRole): Effect.Effect<CredentialRow | "last owner" | undefined>
    setBilling(userId: string, access: boolean): Effect.Effect<CredentialRow | undefined>
    /** Revokes the membership, unless the project would be left without an owner. Repeatable. */
    beginRemoval(row: CredentialRow): Effect.Effect<CredentialRow | "last owner" | undefined>
    /**
     * The machine credentials below the member in the chain of makers, oldest
     * first, without those revoked before the removal began.
     */
    credentialsOf(row: CredentialRow): Effect.Effect<ReadonlyArray<CredentialRow>>
    /** Claims invitations and removals that were cut short. Each goes to one replica, which finishes it. */
    readonly claimAbandoned: Effect.Effect<ReadonlyArray<CredentialRow>>
  }
>()("portico/store/Members") {
  static readonly layerNoDeps = Layer.effect(
    Members,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const credentials = yield* Credentials
      const counts = countsOf(sql)
      const { byId, first, rows } = rowsOf(CredentialRow)
      const listed = rowsOf(ListedMember)
      const { now } = momentsOf(sql)
      const member = sql`kind = 'member'`
      const active = sql`kind = 'member' AND state = 'active'`
      const { claim, isFree, renewed, taken, ...leased } = leasedOf(sql, {
        table: "credentials",
        key: "credential_id",
        holder: "attempt",
        ends: "mint_ends",
        time: memberLease
      })
      const own = ({ attempt, credential_id }: CredentialRow) => leased.own({ credential_id, lease: attempt })

      /** Changes one record and notifies every process of its user id on commit. */
      const changeAndNotify = (change: Statement.Fragment) => first(notifying(sql, change))

      const ofMember = lockedIn(sql, "portico/members")
      const ofAddress = <A, E>(email: string, effect: Effect.Effect<A, E>) => ofMember(email.toLowerCase(), effect)
      const ofOwners = lockedIn(sql, "portico/owners")

      const findByEmail = (email: string) =>
        byId(email, sql`SELECT * FROM credentials WHERE ${member} AND email <> '' AND lower(email) = lower(${email})`)

      /** Claims an invitation that no other attempt holds, by its current row and not by the row that was read. */
      const take = (row: CredentialRow, change: Statement.Fragment) =>
        first(sql`
          UPDATE credentials SET ${taken}, ${change}
          WHERE credential_id = ${row.credential_id} AND ${member} AND state = 'minting' AND ${isFree}
          RETURNING *`)

      const isLastOwner = (row: CredentialRow) =>
        some(sql`
            SELECT * FROM credentials
            WHERE credential_id = ${row.credential_id} AND ${active} AND role = 'customer-owner' AND NOT EXISTS (
              SELECT FROM credentials AS other
              WHERE other.project_id = ${row.project_id} AND other.credential_id <> ${row.credential_id}
                AND other.kind = 'member' AND other.state = 'active' AND other.role = 'customer-owner')`)

      const begin = Effect.fnUntraced(function* (invitation: Invitation, allowance: number): Effect.fn.Return<Begun> {
        const { displayName, email, invitedBy, projectId, role } = invitation
        const held = yield* findByEmail(email)
        if (held !== undefined && held.project_id !== projectId) return { _tag: "elsewhere" }
        if (held?.state === "revoked") return { _tag: "busy" }
        if (held !== undefined && held.state !== "minting") return { _tag: "member", row: held }
        const row = held ?? (yield* credentials.insertWithin(recordOf(invitation, "minting"), allowance))
        if (row === undefined) return { _tag: "full" }
        const taken = yield* take(
          row,
          sql`role = ${role}, tier = ${memberTiers[role]}, display_name = ${displayName}, email = ${email},
            label = ${email}, created_by = ${invitedBy}, ou = ${invitation.ou ?? null}`
        )
        if (taken !== undefined) return { _tag: "begun", row: taken }
        // The lock serialises the beginnings of an address's invitations, but an invitation can end at any time.
        return (yield* findByEmail(email))?.state === "minting" ? { _tag: "busy" } : yield* begin(invitation, allowance)
      })

      return Members.of({
        begin: (invitation, allowance) => ofAddress(invitation.email, begin(invitation, allowance)),
        complete: (row, userId) =>
          changeAndNotify(sql`
            UPDATE credentials SET user_id = ${userId}, state = 'active', attempt = NULL, mint_ends = NULL
            WHERE ${own(row)} AND state = 'minting' AND mint_ends > ${now}`),
        renew: (row) =>
          some(sql`
              UPDATE credentials SET ${renewed} WHERE ${own(row)} AND state = 'minting' RETURNING *`),
        rest: (row) => run(sql`UPDATE credentials SET attempt = NULL WHERE ${own(row)} AND state = 'minting'`),
        // The person may be invited again under the same id. The workload tokens of the earlier membership must not
        // work then.
        drop: (row) =>
          some(sql`
              WITH changed AS (DELETE FROM credentials WHERE ${own(row)} AND ${member} RETURNING *),
                tokens AS (DELETE FROM workload_tokens WHERE made_by IN (SELECT credential_id FROM changed)),
                told AS (SELECT pg_notify(${channel}, user_id) FROM changed)
              SELECT changed.* FROM changed, told`),
        insert: (invitation, userId) =>
          ofAddress(
            invitation.email,
            Effect.gen(function* () {
              if ((yield* findByEmail(invitation.email)) !== undefined) return undefined
              const { credential_id } = yield* credentials.insert({
                ...recordOf(invitation, "active"),
                user_id: userId
              })
              return yield* changeAndNotify(
                sql`UPDATE credentials SET attempt = NULL WHERE credential_id = ${credential_id}`
              )
            })
          ),
        find: (userId, projectId) =>
          byId(
            userId,
            sql`SELECT * FROM credentials WHERE user_id = ${userId} AND ${member} AND state <> 'minting'
              ${within(sql, projectId)}`
          ),
        findByEmail,
        page: (projectId, page) =>
          Effect.all(
            {
              count: counts({ kind: "member", projectId, states: ["active"] }),
              rows: listed.rows(sql`
                SELECT page.*, COALESCE(tenants.slug, '') AS project_name,
                  COALESCE(tenants.name, '') AS tenant_name
                FROM (
                  SELECT * FROM credentials
                  WHERE ${active} AND ${projectId === undefined ? sql`true` : sql`project_id = ${projectId}`}
                    AND ${sqlPage(sql, "credential_id", page)}) AS page
                LEFT JOIN tenants USING (project_id)
                ORDER BY page.created_at, page.credential_id`)
            },
            { concurrency: 2 }
          ),
        ofProject: (projectId) => rows(sql`SELECT * FROM credentials WHERE project_id = ${projectId} AND ${member}`),
        countOwners: (projectId) =>
          Effect.map(
            rows(
              sql`SELECT * FROM credentials WHERE ${active} AND project_id = ${projectId} AND role = 'customer-owner'`
            ),
            (_) => _.length
          ),
        setRole: (row, role) =>
          ofOwners(
            row.project_id,
            Effect.gen(function* () {
              if (role !== "customer-owner" && (yield* isLastOwner(row))) return "last owner" as const
              return yield* changeAndNotify(sql`
                UPDATE credentials SET role = ${role}, tier = ${memberTiers[role]}
                WHERE credential_id = ${row.credential_id} AND user_id = ${row.user_id} AND ${active}`)
            })
          ),
        setBilling: (userId, access) =>
          userId.includes("\0")
            ? Effect.undefined
            : changeAndNotify(
                sql`UPDATE credentials SET billing_access = ${access} WHERE user_id = ${userId} AND ${active}`
              ),
        beginRemoval: (row) =>
          ofOwners(
            row.project_id,
            Effect.gen(function* () {
              if (yield* isLastOwner(row)) return "last owner" as const
              return yield* changeAndNotify(sql`
                UPDATE credentials SET state = 'revoked', revoked_at = COALESCE(revoked_at, ${now}), ${taken}
                WHERE credential_id = ${row.credential_id} AND user_id = ${row.user_id} AND ${member} AND state <> 'minting'`)
            })
          ),
        credentialsOf: ({ credential_id, project_id, revoked_at }) =>
          rows(sql`
            SELECT * FROM credentials
            WHERE kind <> 'member' AND project_id = ${project_id}
              AND credential_id = ANY(ARRAY(${madeBelow(sql, sql`${credential_id}::text`)}))
              AND (state <> 'revoked' OR revoked_at >= ${revoked_at === null ? null : DateTime.toDateUtc(revoked_at)})
            ORDER BY created_at, credential_id`),
        claimAbandoned: rows(sql`${claim({ if: member })} RETURNING *`)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Credentials.layer))
}
