import { portico } from "../api/portico.ts"
import { outdated } from "../api/queries.ts"
import { followWork } from "../works/works.ts"
import { type Database, pathOf } from "./database.ts"

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
