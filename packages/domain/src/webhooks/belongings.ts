import { Targets } from "@portico/store/Targets"
import type { Kind } from "@portico/upstream/belongings/Kind"
import { Effect } from "effect"

/**
 * Webhooks and notification integrations as a kind of project resource. A
 * removal takes the pending deliveries with it.
 */
export const targetsOfProjects = Effect.map(Targets, ({ list, remove }): Kind => ({
  service: "events",
  name: "webhooks",
  list: (projectId) =>
    Effect.map(list(projectId), (found) =>
      found.map(({ kind, name, target_id }) => ({
        id: target_id,
        name: name ?? kind,
        busy: false,
        guarded: undefined,
        weight: 1
      }))
    ),
  remove: (projectId, id) => Effect.asVoid(remove(projectId, id))
}))
