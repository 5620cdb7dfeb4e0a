import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { credentialLock } from "./credentialLock.ts"
import { channel, CredentialRow, Credentials, type NewCredential } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { momentsOf, rowsOf } from "./rows.ts"

/** Ending a credential that was replaced takes one call upstream. */
export const retireLease = Duration.minutes(2)

/** A credential that is being made to replace another one. */
export interface Successor extends NewCredential {
  readonly rotates: string
}

/**
 * Replacing credentials: the successor's record is the claim, so that one
 * rotation at most of a credential is under way, and none after one that is
 * done; when it is removed, everything is as before.
 *
 * What the predecessor made goes on. A successor of the same maker takes the
 * predecessor's place above it. Otherwise it passes to the predecessor's own
 * maker, with the bounds that the predecessor set, so that what a person made
 * through any chain stays below that person.
 */
export class Rotations extends Context.Service<
  Rotations,
  {
    /**
     * Inserts a successor. Undefined unless the predecessor is active, nobody
     * replaces it, and what it replaced itself has ended. It takes its
     * predecessor's place in the allowance.
     */
    begin(successor: Successor): Effect.Effect<CredentialRow | undefined>
    /**
     * The mint of a successor is complete: it works, and its predecessor ends
     * after the overlap. Undefined, and nothing is changed, when the mint was
     * swept, or the predecessor is not active any more.
     */
    complete(
      successorId: string,
      patHash: string,
      overlap: Duration.Duration
    ): Effect.Effect<{ readonly successor: CredentialRow; readonly predecessor: CredentialRow } | undefined>
    /** Credentials whose overlap is over, claimed so that one replica ends each of them. */
    readonly claimOverdue: Effect.Effect<ReadonlyArray<CredentialRow>>
  }
>()("portico/store/Rotations") {
  static readonly layer = Layer.effect(
    Rotations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
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
            AND (expires_at IS NULL OR expires_at > ${now})
            AND NOT EXISTS (SELECT 1 FROM credentials WHERE rotates = old.credential_id)
            AND NOT EXISTS (SELECT 1 FROM credentials AS before
              WHERE before.credential_id = old.rotates AND before.state <> 'revoked' AND before.revokes_at > ${now})
          FOR NO KEY UPDATE`)
        return free === undefined ? undefined : yield* credentials.insert(successor)
      })

      /** See {@link Rotations}. A token has its bounds from its makers alone, and so does not outlive them. */
      const handOn = Effect.fnUntraced(function* (old: CredentialRow, successor: CredentialRow) {
        const { credential_id: id, expires_at, kind, made_by, tier } = old
        if (takesPlaceOf(successor, old)) {
          yield* sql`UPDATE credentials SET made_by = ${successor.credential_id} WHERE made_by = ${id}`
          yield* sql`UPDATE workload_tokens SET made_by = ${successor.credential_id} WHERE made_by = ${id}`
          return
        }
        yield* sql`
          UPDATE credentials SET made_by = ${made_by}, tier = LEAST(tier, ${tier}::smallint),
            kind = ${kind === "mcp" ? sql`'mcp'` : sql`kind`},
            expires_at = LEAST(expires_at, ${expires_at === null ? null : DateTime.toDateUtc(expires_at)}::timestamptz)
          WHERE made_by = ${id}`
      })

      const complete = Effect.fnUntraced(function* (id: string, patHash: string, overlap: Duration.Duration) {
        const begun = yield* credentials.find(id)
        if (begun?.rotates == null) return yield* Effect.fail(undone)
        yield* lock(begun.project_id)
        // Both records before either is changed: a change also takes the numbers of the project (record_counts), for
        // which another one that has the predecessor's record already would wait, and this one for it.
        yield* rows(sql`
          SELECT * FROM credentials WHERE credential_id IN (${id}, ${begun.rotates})
          ORDER BY credential_id FOR NO KEY UPDATE`)
        const successor = yield* credentials.activate(id, patHash)
        if (successor?.rotates == null) return yield* Effect.fail(undone)
        const predecessor = yield* first(sql`
          WITH changed AS (
            UPDATE credentials SET rotated_to = ${id}, revokes_at = ${after(overlap)}
            WHERE credential_id = ${successor.rotates} AND state = 'active' AND rotated_to IS NULL
              AND (expires_at IS NULL OR expires_at > ${now})
            RETURNING *), told AS (SELECT pg_notify(${channel}, user_id) FROM changed)
          SELECT changed.* FROM changed, told`)
        if (predecessor === undefined) return yield* Effect.fail(undone)
        yield* handOn(predecessor, successor)
        return { successor, predecessor }
      })

      return Rotations.of({
        begin: (successor) => Effect.orDie(sql.withTransaction(begin(successor))),
        complete: (id, patHash, overlap) =>
          sql
            .withTransaction(complete(id, patHash, overlap))
            .pipe(Effect.catch((error) => (error === undone ? Effect.undefined : Effect.die(error)))),
        claimOverdue: rows(sql`${claim({ if: sql`state <> 'revoked'`, limit: claimed })} RETURNING *`)
      })
    })
  ).pipe(Layer.provide(Credentials.layer))
}

/** How many one replica takes at once. */
export const claimed = 100

/** Why a transaction is rolled back. */
const undone = { _tag: "Undone" } as const

export const takesPlaceOf = (successor: CredentialRow, old: CredentialRow): boolean => successor.made_by === old.made_by
