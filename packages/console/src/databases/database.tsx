import { portico } from "../api/portico.ts"
import { outdated } from "../api/queries.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { State, type Tone } from "../ui/Badge.tsx"
import { followWork } from "../works/works.ts"
import { words } from "./words.ts"

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

const tones: Readonly<Record<Database["status"], Tone>> = {
  pending: "busy",
  provisioning: "busy",
  ready: "good",
  updating: "busy",
  degraded: "warn",
  failing: "bad",
  deleting: "busy"
}

export const DatabaseState = ({ status }: Pick<Database, "status">) => <State state={status} tone={tones[status]} />

/** Shows in the bar at the top how a database becomes what was asked for. */
export const followDatabase = (started: Database, title: string): void =>
  followWork({
    title,
    href: pathOf(started),
    wait: (report) => portico.databases.create.wait(started, { onProgress: ({ status }) => report(status) }),
    onDone: () => void outdated(["databases", "quotas"])
  })

/** Until it is gone. */
export const followRemoval = (removed: Database, title: string): void =>
  followWork({
    title,
    href: "/databases",
    wait: (report) => portico.databases.remove.wait(removed, { onProgress: ({ status }) => report(status) }),
    onDone: () => void outdated(["databases", "quotas"])
  })

export const find: Finder = async (text, signal) => {
  const { databases } = await portico.databases.list({}, { signal })
  return databases
    .filter(({ name }) => name.includes(text.toLowerCase()))
    .map((database) => ({
      title: database.name,
      kind: words[currentLanguage()].database,
      href: pathOf(database)
    }))
}
