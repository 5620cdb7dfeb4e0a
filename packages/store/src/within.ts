import type { SqlClient } from "effect/sql"

/**
 * A further condition of a look-up by id: the row is of this project. Another tenant's row is not read at all, so that
 * its id costs what an unknown one costs. Undefined for callers that see every project.
 *
 * @param column of the project, where the statement has several
 */
export const within = (sql: SqlClient.SqlClient, projectId: string | undefined, column = "project_id") =>
  projectId === undefined ? sql`` : sql`AND ${sql(column)} = ${projectId}`
