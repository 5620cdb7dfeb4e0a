import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Makers, makersColumn } from "./makers.ts"
import { countOf, moment, momentsOf, rowsOf, run } from "./rows.ts"
import { WorkloadIssuer } from "./WorkloadIssuers.ts"

export const WorkloadToken = Schema.Struct({
  /** SHA-256, base64url. */
  token_hash: Schema.String,
  issuer_id: Schema.String,
  /** The revision of the mapping that it was issued under. */
  revision: Schema.Int,
  /** The `sub` of the token that it was exchanged for. */
  subject: Schema.String,
  /** The record of the caller who exchanged it, which bounds its rights; null when the caller has no record. */
  made_by: Schema.NullOr(Schema.String),
  issued_at: moment,
  expires_at: moment
})
export type WorkloadToken = typeof WorkloadToken.Type

/** A valid token and its mapping. */
export interface LiveToken {
  readonly token: WorkloadToken
  readonly issuer: WorkloadIssuer
  /** The makers that bound its rights, beside the mapping. */
  readonly makers: Makers
}

const Joined = Schema.Struct({
  ...WorkloadIssuer.fields,
  token_hash: Schema.String,
  token_revision: Schema.Int,
  subject: Schema.String,
  made_by: Schema.NullOr(Schema.String),
  issued_at: moment,
  expires_at: moment,
  makers: Makers
})

/** The tokens issued to workloads, by their hash. */
export class WorkloadTokens extends Context.Service<
  WorkloadTokens,
  {
    /** Undefined when the mapping is no longer as it was read: gone, changed or disabled. */
    issue(token: {
      readonly hash: string
      readonly issuerId: string
      readonly revision: number
      readonly subject: string
      readonly madeBy: string | null
      /** The latest end of the token; null when only its lifetime bounds it. */
      readonly endsBy: DateTime.Utc | null
      readonly lifetime: Duration.Duration
    }): Effect.Effect<WorkloadToken | undefined>
    /** A token that has not expired, while its mapping is enabled and unchanged; otherwise undefined. */
    find(hash: string): Effect.Effect<LiveToken | undefined>
    /** Revokes a token. */
    remove(hash: string): Effect.Effect<void>
    /** Deletes expired tokens and returns how many they were. Replicas may run it in parallel. */
    readonly prune: Effect.Effect<number>
  }
>()("portico/store/WorkloadTokens") {
  static readonly layer = Layer.effect(
    WorkloadTokens,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { first } = rowsOf(WorkloadToken)
      const joined = rowsOf(Joined)
      const { after, now } = momentsOf(sql)

      return WorkloadTokens.of({
        // FOR SHARE: a change of the mapping commits before or after this statement, never during it.
        issue: ({ endsBy, hash, issuerId, lifetime, madeBy, revision, subject }) =>
          first(sql`
            INSERT INTO workload_tokens (token_hash, issuer_id, revision, subject, made_by, issued_at, expires_at)
            SELECT ${hash}, issuer_id, revision, ${subject}, ${madeBy}, ${now},
              LEAST(${after(lifetime)}, ${endsBy === null ? null : DateTime.toDateUtc(endsBy)}::timestamptz) FROM workload_issuers
            WHERE issuer_id = ${issuerId} AND revision = ${revision} AND enabled FOR SHARE
            RETURNING *`),
        find: (hash) =>
          Effect.map(
            joined.first(sql`
              SELECT i.*, t.token_hash, t.revision AS token_revision, t.subject, t.made_by, t.issued_at, t.expires_at,
                ${makersColumn(sql, sql`t.made_by`)}
              FROM workload_tokens t JOIN workload_issuers i USING (issuer_id)
              WHERE t.token_hash = ${hash} AND t.expires_at > ${now} AND t.revision = i.revision AND i.enabled`),
            (found) => {
              if (found === undefined) return undefined
              const { expires_at, issued_at, made_by, makers, subject, token_hash, token_revision, ...issuer } = found
              const { issuer_id } = issuer
              return {
                token: { token_hash, issuer_id, revision: token_revision, subject, made_by, issued_at, expires_at },
                issuer,
                makers
              }
            }
          ),
        remove: (hash) => run(sql`DELETE FROM workload_tokens WHERE token_hash = ${hash}`),
        prune: countOf(sql`
          WITH old AS (DELETE FROM workload_tokens WHERE expires_at <= ${now} RETURNING token_hash)
          SELECT count(*)::int AS count FROM old`)
      })
    })
  )
}
