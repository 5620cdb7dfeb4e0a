import type { PageRequest } from "@portico/contract/Page"
import { parentOf } from "@portico/contract/Policy"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CredentialRow, notifying } from "./Credentials.ts"
import type { Found } from "./Pages.ts"
import { credentialLock } from "./credentialLock.ts"
import { policyLock } from "./Policies.ts"
import { countOf, lockedIn, moment, rowsOf, some, sqlPage } from "./rows.ts"

export const UnitRow = Schema.Struct({
  project_id: Schema.String,
  /** A dotted path, which gives the parents. */
  path: Schema.String,
  /** Null directly below the account. */
  parent: Schema.NullOr(Schema.String),
  /** The key in cursors, because a path may be longer than a cursor. */
  id: Schema.String,
  created_at: moment,
  created_by: Schema.String
})
export type UnitRow = typeof UnitRow.Type

/**
 * What blocks the removal of a unit: the number of child units, the number of
 * records in it that are not revoked, and its policy.
 */
export interface Occupants {
  readonly units: number
  readonly members: number
  readonly policy: boolean
}

/** The organisation units of each project, and their occupants (column `ou` of `credentials`). */
export class OrganisationUnits extends Context.Service<
  OrganisationUnits,
  {
    /** `orphan`: the parent unit does not exist. */
    insert(unit: Pick<UnitRow, "project_id" | "path" | "created_by">): Effect.Effect<UnitRow | "taken" | "orphan">
    exists(projectId: string, path: string): Effect.Effect<boolean>
    /** Oldest first: one row more than the page holds, and the total count. */
    list(projectId: string, page: PageRequest): Effect.Effect<Found<UnitRow>>
    /**
     * Removes an empty unit. Returns the occupants, and removes nothing, when
     * there are any. A revoked record does not count.
     */
    remove(projectId: string, path: string): Effect.Effect<UnitRow | Occupants | undefined>
    /** A live credential by its id, or a member by the user's id. */
    member(projectId: string, id: string): Effect.Effect<CredentialRow | undefined>
    /** Moves a credential or member into a unit; `no unit` when the unit does not exist. */
    place(projectId: string, id: string, path: string): Effect.Effect<CredentialRow | "no unit" | undefined>
    /** Moves a credential or member out of this unit. Undefined when it is not in the unit. */
    takeOut(projectId: string, id: string, path: string): Effect.Effect<CredentialRow | undefined>
    /** Removes all units and policies of a project that is gone. */
    removeAll(projectId: string): Effect.Effect<void>
  }
>()("portico/store/OrganisationUnits") {
  static readonly layer = Layer.effect(
    OrganisationUnits,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const units = rowsOf(UnitRow)
      const records = rowsOf(CredentialRow)
      const lock = lockedIn(sql, policyLock)

      const unit = (projectId: string, path: string) => sql`project_id = ${projectId} AND path = ${path}`
      const exists = (projectId: string, path: string) =>
        path.includes("\0")
          ? Effect.succeed(false)
          : some(sql`SELECT 1 FROM organisation_units WHERE ${unit(projectId, path)}`)
      const live = sql`state NOT IN ('revoked', 'minting')`
      const named = (projectId: string, id: string) => sql`
        project_id = ${projectId} AND ${live} AND ((kind <> 'member' AND credential_id = ${id}) OR (kind = 'member' AND user_id = ${id}))`

      const lockCredentials = credentialLock(sql)

      /**
       * Changes the unit of one record and notifies every process on commit. A credential that is being rotated goes with
       * its successor, which took over its unit when the rotation began: rotations and this exclude each other.
       */
      const move = Effect.fnUntraced(function* (
        projectId: string,
        id: string,
        to: string | null,
        from: string | undefined
      ) {
        yield* lockCredentials(projectId)
        const moved = (which: Statement.Fragment) =>
          notifying(
            sql,
            sql`UPDATE credentials SET ou = ${to}
              WHERE project_id = ${projectId} AND ${which} AND ${from === undefined ? sql`true` : sql`ou = ${from}`}`
          )
        const row = yield* records.byId(id, moved(named(projectId, id)))
        if (row === undefined || row.kind === "member") return row
        yield* moved(
          sql`state <> 'revoked' AND (rotates = ${row.credential_id} OR credential_id = ${row.rotates ?? null})`
        )
        return row
      })

      const occupants = (projectId: string, path: string) =>
        Effect.map(
          sql<Occupants>`
            SELECT
              (SELECT count(*)::int FROM organisation_units WHERE project_id = ${projectId} AND parent = ${path}) AS units,
              (SELECT count(*)::int FROM credentials
                WHERE project_id = ${projectId} AND ou = ${path} AND state <> 'revoked') AS members,
              EXISTS (SELECT FROM policies WHERE project_id = ${projectId} AND ou = ${path}) AS policy`,
          (_) => _[0]
        )

      return OrganisationUnits.of({
        insert: ({ created_by, path, project_id }) =>
          lock(
            project_id,
            Effect.gen(function* () {
              const parent = parentOf(path) ?? null
              if (parent !== null && !(yield* exists(project_id, parent))) return "orphan" as const
              const inserted = yield* units.first(sql`
                INSERT INTO organisation_units (project_id, path, parent, id, created_by)
                VALUES (${project_id}, ${path}, ${parent}, ${randomUUID()}, ${created_by})
                ON CONFLICT DO NOTHING RETURNING *`)
              return inserted ?? ("taken" as const)
            })
          ),
        exists,
        list: (projectId, page) =>
          Effect.all({
            count: countOf(sql`SELECT count(*)::int AS count FROM organisation_units WHERE project_id = ${projectId}`),
            rows: units.rows(sql`
              SELECT * FROM organisation_units WHERE project_id = ${projectId} AND ${sqlPage(sql, "id", page)}`)
          }),
        remove: (projectId, path) =>
          lock(
            projectId,
            Effect.gen(function* () {
              if (!(yield* exists(projectId, path))) return undefined
              const held = yield* occupants(projectId, path)
              if (held !== undefined && isOccupied(held)) return held
              return yield* units.first(sql`DELETE FROM organisation_units WHERE ${unit(projectId, path)} RETURNING *`)
            })
          ),
        member: (projectId, id) => records.byId(id, sql`SELECT * FROM credentials WHERE ${named(projectId, id)}`),
        place: (projectId, id, path) =>
          lock(
            projectId,
            Effect.gen(function* () {
              if (!(yield* exists(projectId, path))) return "no unit" as const
              return yield* move(projectId, id, path, undefined)
            })
          ),
        takeOut: (projectId, id, path) =>
          path.includes("\0") ? Effect.undefined : lock(projectId, move(projectId, id, null, path)),
        removeAll: (projectId) =>
          lock(
            projectId,
            Effect.gen(function* () {
              yield* sql`DELETE FROM policies WHERE project_id = ${projectId}`
              yield* sql`DELETE FROM organisation_units WHERE project_id = ${projectId}`
            })
          )
      })
    })
  )
}

export const isOccupied = ({ members, policy, units }: Occupants): boolean => units > 0 || members > 0 || policy
