import { PermissionTier } from "@portico/contract/Access"
import type { PageRequest } from "@portico/contract/Page"
import { lineageOf } from "@portico/contract/Policy"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { channel, everybodyIn } from "./Credentials.ts"
import type { Found } from "./Pages.ts"
import { countOf, lockedIn, moment, momentsOf, rowsOf, sqlPage } from "./rows.ts"

export const PolicyRow = Schema.Struct({
  project_id: Schema.String,
  /** Dotted path of a unit; empty for the whole account. */
  ou: Schema.String,
  /** The key in cursors, because a path may be longer than a cursor. */
  id: Schema.String,
  /** Null sets no upper bound. */
  max_tier: Schema.NullOr(PermissionTier),
  denies: Schema.Array(Schema.String),
  created_at: moment,
  updated_at: moment,
  updated_by: Schema.String
})
export type PolicyRow = typeof PolicyRow.Type

export type NewPolicy = Pick<PolicyRow, "project_id" | "ou" | "max_tier" | "denies" | "updated_by">

/**
 * Serialises changes of one project's units and policies, so that each sees the
 * result of the one before. It is not a lock on the tenant's row, because a
 * project of the static tenant map has none.
 */
export const policyLock = "portico/policy"

const columns = "project_id, ou, id, max_tier, denies, created_at, updated_at, updated_by"

/** The policies of an account and its organisation units. Every process is notified of a change. */
export class Policies extends Context.Service<
  Policies,
  {
    /** Creates or replaces the policy of one unit, or of the whole account. Undefined when the unit does not exist. */
    put(policy: NewPolicy): Effect.Effect<PolicyRow | undefined>
    /** Returns the removed policy; undefined when there was none. */
    remove(projectId: string, ou: string): Effect.Effect<PolicyRow | undefined>
    /** Oldest first: one row more than the page holds, and the total count. */
    list(projectId: string, page: PageRequest): Effect.Effect<Found<PolicyRow>>
    /**
     * The policies that apply in a unit, from the account down to it. They are
     * looked up by the paths of the unit's ancestors, so the cost does not
     * depend on the number of other units.
     */
    along(projectId: string, ou: string): Effect.Effect<ReadonlyArray<PolicyRow>>
  }
>()("portico/store/Policies") {
  static readonly layer = Layer.effect(
    Policies,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { byId, one, rows } = rowsOf(PolicyRow)
      const { now } = momentsOf(sql)
      const lock = lockedIn(sql, policyLock)
      const all = sql.literal(columns)
      const notify = (projectId: string) => sql`SELECT pg_notify(${channel}, ${everybodyIn(projectId)})`

      return Policies.of({
        put: (policy) =>
          lock(
            policy.project_id,
            Effect.gen(function* () {
              const { denies, max_tier, ou, project_id, updated_by } = policy
              const there =
                ou === "" ||
                (yield* sql`SELECT 1 FROM organisation_units WHERE project_id = ${project_id} AND path = ${ou}`)
                  .length > 0
              if (!there) return undefined
              yield* notify(project_id)
              return yield* one(sql`
                INSERT INTO policies (project_id, ou, id, max_tier, denies, updated_by)
                VALUES (${project_id}, ${ou}, ${randomUUID()}, ${max_tier}, ${json(denies)}, ${updated_by})
                ON CONFLICT (project_id, ou) DO UPDATE SET max_tier = EXCLUDED.max_tier, denies = EXCLUDED.denies,
                  updated_by = EXCLUDED.updated_by, updated_at = ${now}
                RETURNING ${all}`)
            })
          ),
        remove: (projectId, ou) =>
          lock(
            projectId,
            Effect.gen(function* () {
              yield* notify(projectId)
              return yield* byId(
                ou,
                sql`DELETE FROM policies WHERE project_id = ${projectId} AND ou = ${ou} RETURNING ${all}`
              )
            })
          ),
        list: (projectId, page) =>
          Effect.all({
            count: countOf(sql`SELECT count(*)::int AS count FROM policies WHERE project_id = ${projectId}`),
            rows: rows(sql`
              SELECT ${all} FROM policies WHERE project_id = ${projectId} AND ${sqlPage(sql, "id", page)}`)
          }),
        along: (projectId, ou) =>
          Effect.map(
            rows(sql`SELECT ${all} FROM policies WHERE project_id = ${projectId} AND ${sql.in("ou", lineageOf(ou))}`),
            fromTheRoot
          )
      })
    })
  )
}

/** Each ancestor's path is a prefix of the next, so length orders them. */
const fromTheRoot = (rows: ReadonlyArray<PolicyRow>) => rows.toSorted((a, b) => a.ou.length - b.ou.length)
