import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { credentialLock } from "./credentialLock.ts"
import { CredentialRow, Credentials, type NewCredential, notifying } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { unitsOf } from "./makers.ts"
import { momentsOf, rowsOf } from "./rows.ts"

/** The lease for ending a replaced credential, which takes one upstream call. */
export const retireLease = Duration.minutes(2)

/** What a successor may do by itself, and who made it. */
type Rights = Pick<CredentialRow, "kind" | "tier" | "expires_at" | "made_by">

/** A credential that is being minted to replace another one. */
export interface Successor extends Omit<NewCredential, keyof Rights | "ou" | "former_units"> {
  readonly rotates: string
  /**
   * `predecessor's`: as the predecessor's record has them when the rotation begins. A rotation of its maker may have
   * changed them since the caller read them, and whoever keeps the former maker ends with it.
   */
  readonly rights: Rights | "predecessor's"
}

/** The record of a successor. It is in the predecessor's units. */
export const successorOf = ({ rights, ...successor }: Successor, old: CredentialRow): NewCredential => {
  const { expires_at, kind, made_by, tier } = rights === "predecessor's" ? old : rights
  return { ...successor, kind, tier, expires_at, made_by, ou: old.ou, former_units: old.former_units }
}

/**
 * Replaces credentials. The successor's record is the claim: at most one
 * rotation of a credential is under way, and none starts after a completed one.
 * Removing the successor's record undoes the rotation.
 *
 * What the predecessor made keeps working. A successor of the same maker takes
 * the predecessor's place above it. Otherwise the predecessor's own maker takes
 * over, with the bounds that the predecessor set and the units that it was in,
 * so that what a person made through any chain stays below that person.
 */
export class Rotations extends Context.Service<
  Rotations,
  {
    /**
     * Inserts a successor. Undefined unless the predecessor is active and has
     * not ended with its maker, has no other successor, and its own predecessor
     * has ended. The successor counts
     * in its predecessor's place against the allowance.
     */
    begin(successor: Successor): Effect.Effect<CredentialRow | undefined>
    /**
     * Completes the mint of a successor: it works, and its predecessor ends
     * after the overlap. Undefined, and nothing changes, when the sweep removed
     * the mint, or the predecessor is no longer active.
     */
    complete(
      successorId: string,
      patHash: string,
      overlap: Duration.Duration
    ): Effect.Effect<{ readonly successor: CredentialRow; readonly predecessor: CredentialRow } | undefined>
    /** Claims credentials whose overlap is over. Each goes to one replica, which ends it. */
    readonly claimOverdue: Effect.Effect<ReadonlyArray<CredentialRow>>
  }
>()("portico/store/Rotations") {
  static readonly layer = Layer.effect(
    Rotations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const credentials = yield* Credentials
      const { first, rows } = rowsOf(CredentialRow)
      const { after, now } = momentsOf(sql)
      const { claim } = leasedOf(sql, {
        table: "credentials",
        key: "credential_id",
        holder: null,
        ends: "retire_ends",
        due: "revokes_at",
        time: retireLease
      })
      const lock = credentialLock(sql)

      const begin = Effect.fnUntraced(function* (successor: Successor) {
        yield* lock(successor.project_id)
        const free = yield* first(sql`
          SELECT * FROM credentials AS old
          WHERE credential_id = ${successor.rotates} AND state = 'active' AND rotated_to IS NULL
            AND (expires_at IS NULL OR expires_at > ${now}) AND (revokes_at IS NULL OR revokes_at > ${now})
            AND NOT EXISTS (SELECT 1 FROM credentials WHERE rotates = old.credential_id)
            AND NOT EXISTS (SELECT 1 FROM credentials AS before
              WHERE before.credential_id = old.rotates AND before.state <> 'revoked' AND before.revokes_at > ${now})
          FOR NO KEY UPDATE`)
        return free === undefined ? undefined : yield* credentials.insert(successorOf(successor, free))
      })

      /**
       * See {@link Rotations}. The rights of a workload token come from its
       * makers alone, so it does not outlive them.
       */
      const reassignMade = Effect.fnUntraced(function* (old: CredentialRow, successor: CredentialRow) {
        const { credential_id: id, expires_at, kind, made_by, tier } = old
        if (takesPlaceOf(successor, old)) {
          yield* sql`UPDATE credentials SET made_by = ${successor.credential_id} WHERE made_by = ${id}`
          yield* sql`UPDATE workload_tokens SET made_by = ${successor.credential_id} WHERE made_by = ${id}`
          return
        }
        yield* sql`
          UPDATE credentials SET made_by = ${made_by}, tier = LEAST(tier, ${tier}::smallint),
            kind = ${kind === "mcp" ? sql`'mcp'` : sql`kind`},
            expires_at = LEAST(expires_at, ${expires_at === null ? null : DateTime.toDateUtc(expires_at)}::timestamptz),
            former_units = former_units || ${json(unitsOf(old))}::jsonb
          WHERE made_by = ${id}`
      })

      const complete = Effect.fnUntraced(function* (id: string, patHash: string, overlap: Duration.Duration) {
        const begun = yield* credentials.find(id)
        if (begun?.rotates == null) return yield* Effect.fail(notCompleted)
        yield* lock(begun.project_id)
        // Locks both records before it changes either: a change also locks the project's counters (record_counts).
        // Without this order another transaction that holds the predecessor's record would wait for the counters, and
        // this one for that record.
        yield* rows(sql`
          SELECT * FROM credentials WHERE credential_id IN (${id}, ${begun.rotates})
          ORDER BY credential_id FOR NO KEY UPDATE`)
        const successor = yield* credentials.activate(id, patHash)
        if (successor?.rotates == null) return yield* Effect.fail(notCompleted)
        const replaced = sql`
          UPDATE credentials SET rotated_to = ${id}, revokes_at = ${after(overlap)}
          WHERE credential_id = ${successor.rotates} AND state = 'active' AND rotated_to IS NULL
            AND (expires_at IS NULL OR expires_at > ${now}) AND (revokes_at IS NULL OR revokes_at > ${now})`
        const predecessor = yield* first(notifying(sql, replaced))
        if (predecessor === undefined) return yield* Effect.fail(notCompleted)
        yield* reassignMade(predecessor, successor)
        return { successor, predecessor }
      })

      return Rotations.of({
        begin: (successor) => Effect.orDie(sql.withTransaction(begin(successor))),
        complete: (id, patHash, overlap) =>
          sql
            .withTransaction(complete(id, patHash, overlap))
            .pipe(Effect.catch((error) => (error === notCompleted ? Effect.undefined : Effect.die(error)))),
        claimOverdue: rows(sql`${claim({ if: sql`state <> 'revoked'`, limit: claimed })} RETURNING *`)
      })
    })
  ).pipe(Layer.provide(Credentials.layer))
}

/** The most credentials that one replica claims at once. */
export const claimed = 100

/** The failure that rolls a transaction back. */
const notCompleted = { _tag: "Undone" } as const

export const takesPlaceOf = (successor: CredentialRow, old: CredentialRow): boolean => successor.made_by === old.made_by
