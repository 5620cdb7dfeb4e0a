import type { SqlClient } from "effect/sql"
import { advisoryLock } from "./rows.ts"

/**
 * Serialises mints, rotations, holds and the end of one project's machine
 * credentials until the transaction ends. So a hold or an end sees a parallel
 * mint, or the mint sees the hold or end. It is not a lock on the tenant's row,
 * because a project of the static tenant map has none.
 */
export const credentialLock = (sql: SqlClient.SqlClient) => (projectId: string) =>
  sql`SELECT ${advisoryLock(sql, "portico/credentials", projectId)}`
