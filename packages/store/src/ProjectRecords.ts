import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { credentialLock } from "./credentialLock.ts"
import { channel, CredentialRow, everybodyIn } from "./Credentials.ts"
import { momentsOf, rowsOf } from "./rows.ts"

/** The records of whole projects, for the code that ends a project. */
export class ProjectRecords extends Context.Service<
  ProjectRecords,
  {
    /** Every credential and membership of the project, in any state. */
    credentials(projectId: string): Effect.Effect<ReadonlyArray<CredentialRow>>
    /**
     * Ends the tenant: deletes its row, its memberships and the plans of its
     * agents, and revokes its machine credentials, which stay as an audit trail.
     * Part of a transaction.
     * False when there is no such tenant.
     */
    end(projectId: string): Effect.Effect<boolean>
  }
>()("portico/store/ProjectRecords") {
  static readonly layer = Layer.effect(
    ProjectRecords,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { rows } = rowsOf(CredentialRow)
      const { now } = momentsOf(sql)

      const lock = credentialLock(sql)

      const end = Effect.fnUntraced(function* (projectId: string) {
        yield* lock(projectId)
        const gone = yield* sql`DELETE FROM tenants WHERE project_id = ${projectId} RETURNING project_id`
        yield* sql`DELETE FROM agent_settings WHERE project_id = ${projectId}`
        yield* sql`DELETE FROM credentials WHERE project_id = ${projectId} AND kind = 'member'`
        yield* sql`DELETE FROM agent_plans WHERE project_id = ${projectId}`
        // The sweep removes a running mint by `mint_ends`, which is kept. A membership that began after the DELETE is
        // not revoked: nothing would ever remove it, and its address would be taken for ever.
        yield* sql`
          UPDATE credentials SET state = 'revoked', held = '[]', revoked_at = COALESCE(revoked_at, ${now}), ou = NULL
          WHERE project_id = ${projectId} AND kind <> 'member' AND (state <> 'revoked' OR ou IS NOT NULL)`
        yield* sql`SELECT pg_notify(${channel}, ${everybodyIn(projectId)})`
        return gone.length > 0
      })

      return ProjectRecords.of({
        credentials: (projectId) =>
          rows(sql`SELECT * FROM credentials WHERE project_id = ${projectId} ORDER BY created_at, credential_id`),
        end: (projectId) => Effect.orDie(sql.withTransaction(end(projectId)))
      })
    })
  )
}
