import { Effect } from "effect"
import { CliFailure } from "../CliFailure.ts"
import type { Portico } from "../Portico.ts"
import { type Filters } from "./follow.ts"

/** An event of the last 30 days by its id. The list has no filter for it, so this reads from the newest on. */
export const eventOf = Effect.fnUntraced(function* ({ use }: Portico, { projectId }: Filters, id: string) {
  let cursor: string | undefined
  for (;;) {
    const query = { project_id: projectId, order: "desc", limit: 1000, cursor } as const
    const page = yield* use((_, signal) => _.events.list(query, { signal }))
    const found = page.events.find((_) => _.id === id)
    if (found !== undefined) return found
    if (page.next_cursor === null) {
      return yield* new CliFailure({ exit: "notFound", message: `No event of the last 30 days has the id '${id}'` })
    }
    cursor = page.next_cursor
  }
})
