import type { portico } from "../api/portico.ts"

export type Database = Awaited<ReturnType<typeof portico.databases.list>>["databases"][number]
export type DatabaseDetail = Awaited<ReturnType<typeof portico.databases.show>>
export type Backup = NonNullable<DatabaseDetail["backup"]>
export type Engine = Database["engine"]

export const engines = ["postgres", "kafka"] as const satisfies ReadonlyArray<Engine>

export const statuses = [
  "pending",
  "provisioning",
  "ready",
  "updating",
  "degraded",
  "failing",
  "deleting"
] as const satisfies ReadonlyArray<Database["status"]>

/** Whether it becomes something else by itself. */
export const isMoving = ({ status }: Pick<Database, "status">): boolean => status !== "ready" && status !== "failing"

/** Also until the first backup opens the recovery window, of which no event tells. */
export const isMaturing = (database: DatabaseDetail): boolean =>
  isMoving(database) || (database.status === "ready" && database.backup?.earliest_recovery_point === null)

export const pathOf = ({ engine, name }: Pick<Database, "engine" | "name">): string => `/databases/${engine}/${name}`
