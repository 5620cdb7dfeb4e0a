import { Clock, Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { earlier, Makers, makersColumn, makersIn } from "./makers.ts"
import { Memory } from "./Memory.ts"
import { moment, momentsOf, rowsOf, run } from "./rows.ts"
import { WorkloadIssuer } from "./WorkloadIssuers.ts"

export const WorkloadToken = Schema.Struct({
  /** SHA-256, base64url. */
  token_hash: Schema.String,
  issuer_id: Schema.String,
  /** Of the mapping that it was given under. */
  revision: Schema.Int,
  /** The `sub` of the token that it was exchanged for. */
  subject: Schema.String,
  /** The record of the caller who exchanged it, whose rights bound its own; null for one that has none. */
  made_by: Schema.NullOr(Schema.String),
  issued_at: moment,
  expires_at: moment
})
export type WorkloadToken = typeof WorkloadToken.Type

/** Of a token that works: what it is, and under which mapping. */
export interface LiveToken {
  readonly token: WorkloadToken
  readonly issuer: WorkloadIssuer
  /** What it has its rights from, beside the mapping. */
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

/** The tokens that workloads were given, by their hash. */
export class WorkloadTokens extends Context.Service<
  WorkloadTokens,
  {
    /** Undefined when the mapping is not what it was any more: gone, changed or disabled. */
    issue(token: {
      readonly hash: string
      readonly issuerId: string
      readonly revision: number
      readonly subject: string
      readonly madeBy: string | null
      /** It ends then at the latest; null for nothing but its lifetime. */
      readonly endsBy: DateTime.Utc | null
      readonly lifetime: Duration.Duration
    }): Effect.Effect<WorkloadToken | undefined>
    /** A token that has not ended, under the mapping that it was given under; otherwise undefined. */
    find(hash: string): Effect.Effect<LiveToken | undefined>
    /** Takes one back. */
    remove(hash: string): Effect.Effect<void>
    /** Removes the tokens that have ended; how many those were. Any number of replicas may. */
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
        // FOR SHARE, so that a change of the mapping comes before or after, and never in between.
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
        prune: Effect.map(
          Effect.orDie(sql<{ count: number }>`
            WITH old AS (DELETE FROM workload_tokens WHERE expires_at <= ${now} RETURNING token_hash)
            SELECT count(*)::int AS count FROM old`),
          (_) => _[0]?.count ?? 0
        )
      })
    })
  )

  static readonly layerMemory = Layer.effect(
    WorkloadTokens,
    Effect.gen(function* () {
      const memory = yield* Memory
      const { workloadIssuers: issuers, workloadTokens: tokens } = memory
      const now = Clock.currentTimeMillis

      const current = (issuerId: string, revision: number): WorkloadIssuer | undefined => {
        const issuer = issuers.get(issuerId)
        return issuer !== undefined && issuer.enabled && issuer.revision === revision ? issuer : undefined
      }

      return WorkloadTokens.of({
        issue: ({ endsBy, hash, issuerId, lifetime, madeBy, revision, subject }) =>
          Effect.map(now, (at) => {
            if (current(issuerId, revision) === undefined) return undefined
            const ends = DateTime.makeUnsafe(at + Duration.toMillis(lifetime))
            const token: WorkloadToken = {
              token_hash: hash,
              issuer_id: issuerId,
              revision,
              subject,
              made_by: madeBy,
              issued_at: DateTime.makeUnsafe(at),
              expires_at: earlier(ends, endsBy) ?? ends
            }
            tokens.set(hash, token)
            return token
          }),
        find: (hash) =>
          Effect.map(now, (at) => {
            const token = tokens.get(hash)
            if (token === undefined || DateTime.toEpochMillis(token.expires_at) <= at) return undefined
            const issuer = current(token.issuer_id, token.revision)
            return issuer && { token, issuer, makers: makersIn(memory, token.made_by) }
          }),
        remove: (hash) => Effect.sync(() => void tokens.delete(hash)),
        prune: Effect.map(now, (at) => {
          const old = [...tokens.values()].filter((_) => DateTime.toEpochMillis(_.expires_at) <= at)
          for (const { token_hash } of old) tokens.delete(token_hash)
          return old.length
        })
      })
    })
  )
}
