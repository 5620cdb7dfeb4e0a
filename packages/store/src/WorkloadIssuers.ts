import { PermissionTier } from "@portico/contract/Access"
import type { PageRequest } from "@portico/contract/Page"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { everybodyIn, notifying } from "./Credentials.ts"
import { changesOf, countOf, moment, momentsOf, rowsOf, sqlPage } from "./rows.ts"
import { within } from "./within.ts"

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
const changing = [
  "tier",
  "audience",
  "discovery_url",
  "jwks_uri",
  "ca",
  "subjects",
  "max_lifetime_seconds",
  "enabled"
] as const
export type WorkloadIssuerChange = Partial<Pick<WorkloadIssuer, (typeof changing)[number]>>

/** The mapping of issuers to tenants. Every process is notified of a change, as of a change of the whole project. */
export class WorkloadIssuers extends Context.Service<
  WorkloadIssuers,
  {
    /** Undefined when the issuer is already registered, for any tenant. */
    insert(issuer: NewWorkloadIssuer): Effect.Effect<WorkloadIssuer | undefined>
    find(issuerId: string): Effect.Effect<WorkloadIssuer | undefined>
    findByIssuer(issuer: string, projectId?: string): Effect.Effect<WorkloadIssuer | undefined>
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
      const pg = yield* PgClient.PgClient
      const changes = changesOf(pg, changing)
      const { byId, first, rows } = rowsOf(WorkloadIssuer)
      const { now } = momentsOf(sql)

      /** Changes mappings and notifies every process of their projects on commit. */
      const changeAndNotify = (change: Statement.Fragment) =>
        first(notifying(sql, change, sql`${everybodyIn("")} || project_id`))

      return WorkloadIssuers.of({
        insert: (_) =>
          first(sql`
            INSERT INTO workload_issuers
              (issuer_id, issuer, project_id, tier, audience, discovery_url, jwks_uri, ca, subjects,
               max_lifetime_seconds, enabled, created_by)
            VALUES
              (${_.issuer_id}, ${_.issuer}, ${_.project_id}, ${_.tier}, ${_.audience}, ${_.discovery_url}, ${_.jwks_uri},
               ${_.ca}, ${pg.json(_.subjects)}, ${_.max_lifetime_seconds}, ${_.enabled}, ${_.created_by})
            ON CONFLICT (issuer) DO NOTHING RETURNING *`),
        find: (issuerId) => byId(issuerId, sql`SELECT * FROM workload_issuers WHERE issuer_id = ${issuerId}`),
        findByIssuer: (issuer, projectId) =>
          byId(issuer, sql`SELECT * FROM workload_issuers WHERE issuer = ${issuer} ${within(sql, projectId)}`),
        page: (page) =>
          Effect.all({
            count: countOf(sql`SELECT count(*)::int AS count FROM workload_issuers`),
            rows: rows(sql`SELECT * FROM workload_issuers WHERE ${sqlPage(sql, "issuer_id", page)}`)
          }),
        change: (issuerId, change) =>
          issuerId.includes("\0")
            ? Effect.undefined
            : changeAndNotify(
                sql`UPDATE workload_issuers SET ${sql.csv([sql`revision = revision + 1`, sql`changed_at = ${now}`, ...changes(change)])} WHERE issuer_id = ${issuerId}`
              ),
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
