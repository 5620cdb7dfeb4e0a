import type { SqlClient } from "effect/sql"

/**
 * What mints, replaces, holds or ends the machine credentials of one project
 * happens one after the other until its transaction is over, so that what is
 * minted is either seen by who holds or ends the project, or sees that it is.
 * Not a lock on the tenant's row: a project of the static tenant map has none.
 */
export const credentialLock = (sql: SqlClient.SqlClient) => (projectId: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtext('portico/credentials'), hashtext(${projectId}))`
