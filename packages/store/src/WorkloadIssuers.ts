import { PermissionTier } from "@portico/contract/Access"
import type { PageRequest } from "@portico/contract/Page"
import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { channel, everybodyIn } from "./Credentials.ts"
import { moment, momentsOf, rowsOf } from "./rows.ts"

/** A cluster whose service accounts act for a tenant. */
export const WorkloadIssuer = Schema.Struct({
  issuer_id: Schema.String,
  /** The exact `iss` of its tokens. */
  issuer: Schema.String,
  project_id: Schema.String,
  tier: PermissionTier,
  audience: Schema.String,
  discovery_url: Schema.String,
  /** Null to take it from the discovery document. */
  jwks_uri: Schema.NullOr(Schema.String),
  /** PEM; null for the system's certificate authorities. */
  ca: Schema.NullOr(Schema.String),
  subjects: Schema.Array(Schema.String),
  max_lifetime_seconds: Schema.Int,
  enabled: Schema.Boolean,
  /** Grows with every change. A token of an earlier revision no longer works. */
  revision: Schema.Int,
  created_by: Schema.String,
  created_at: moment,
  changed_at: moment
})
export type WorkloadIssuer = typeof WorkloadIssuer.Type

export type NewWorkloadIssuer = Omit<WorkloadIssuer, "revision" | "created_at" | "changed_at">

/** The fields that can change without a new mapping. */
export type WorkloadIssuerChange = Partial<
  Pick<
    WorkloadIssuer,
    "tier" | "audience" | "discovery_url" | "jwks_uri" | "ca" | "subjects" | "max_lifetime_seconds" | "enabled"
  >
>

/** The mapping of issuers to tenants. Every process is notified of a change, as of a change of the whole project. */
export class WorkloadIssuers extends Context.Service<
  WorkloadIssuers,
  {
    /** Undefined when the issuer is already registered, for any tenant. */
    insert(issuer: NewWorkloadIssuer): Effect.Effect<WorkloadIssuer | undefined>
    find(issuerId: string): Effect.Effect<WorkloadIssuer | undefined>
    findByIssuer(issuer: string): Effect.Effect<WorkloadIssuer | undefined>
    /** At most one row more than requested, oldest first, and the total count. */
    page(request: PageRequest): Effect.Effect<{ readonly count: number; readonly rows: ReadonlyArray<WorkloadIssuer> }>
    /** Changes the mapping, which ends every token issued under its earlier revisions. */
    change(issuerId: string, change: WorkloadIssuerChange): Effect.Effect<WorkloadIssuer | undefined>
    /** Removes the mapping with every token issued under it. */
    remove(issuerId: string): Effect.Effect<WorkloadIssuer | undefined>
    /** Removes the issuers of a tenant that is gone, with their tokens. Repeatable. */
    removeOfProject(projectId: string): Effect.Effect<void>
  }
>()("portico/store/WorkloadIssuers") {
  static readonly layer = Layer.effect(
    WorkloadIssuers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { byId, first, rows } = rowsOf(WorkloadIssuer)
      const { now } = momentsOf(sql)

      /** Changes mappings and notifies every process of their projects on commit. */
      const changeAndNotify = (change: Statement.Fragment) =>
        first(sql`
          WITH changed AS (${change} RETURNING *),
            told AS (SELECT pg_notify(${channel}, ${everybodyIn("")} || project_id) FROM changed)
          SELECT changed.* FROM changed, told`)

      const columnsOf = (change: WorkloadIssuerChange) =>
        sql.join(
          ", ",
          false
        )([
          sql`revision = revision + 1`,
          sql`changed_at = ${now}`,
          ...Object.entries(change).map(
            ([name, value]) => sql`${sql(name)} = ${Array.isArray(value) ? json(value) : value}`
          )
        ])

      return WorkloadIssuers.of({
        insert: (_) =>
          first(sql`
            INSERT INTO workload_issuers
              (issuer_id, issuer, project_id, tier, audience, discovery_url, jwks_uri, ca, subjects,
               max_lifetime_seconds, enabled, created_by)
            VALUES
              (${_.issuer_id}, ${_.issuer}, ${_.project_id}, ${_.tier}, ${_.audience}, ${_.discovery_url}, ${_.jwks_uri},
               ${_.ca}, ${json(_.subjects)}, ${_.max_lifetime_seconds}, ${_.enabled}, ${_.created_by})
            ON CONFLICT (issuer) DO NOTHING RETURNING *`),
        find: (issuerId) => byId(issuerId, sql`SELECT * FROM workload_issuers WHERE issuer_id = ${issuerId}`),
        findByIssuer: (issuer) => byId(issuer, sql`SELECT * FROM workload_issuers WHERE issuer = ${issuer}`),
        page: Effect.fnUntraced(function* ({ after, limit }) {
          const behind =
            after === undefined
              ? sql`true`
              : sql`(created_at, issuer_id) > (${DateTime.toDateUtc(DateTime.makeUnsafe(after.at))}, ${after.id})`
          const counted = yield* Effect.orDie(
            sql<{ count: number }>`SELECT count(*)::int AS count FROM workload_issuers`
          )
          return {
            count: counted[0]?.count ?? 0,
            rows: yield* rows(sql`
              SELECT * FROM workload_issuers WHERE ${behind} ORDER BY created_at, issuer_id LIMIT ${limit + 1}`)
          }
        }),
        change: (issuerId, change) =>
          issuerId.includes("\0")
            ? Effect.undefined
            : changeAndNotify(sql`UPDATE workload_issuers SET ${columnsOf(change)} WHERE issuer_id = ${issuerId}`),
        remove: (issuerId) =>
          issuerId.includes("\0")
            ? Effect.undefined
            : changeAndNotify(sql`DELETE FROM workload_issuers WHERE issuer_id = ${issuerId}`),
        removeOfProject: (projectId) =>
          Effect.asVoid(changeAndNotify(sql`DELETE FROM workload_issuers WHERE project_id = ${projectId}`))
      })
    })
  )
}
