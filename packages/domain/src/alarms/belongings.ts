import { Alarms } from "@portico/store/Alarms"
import type { Kind } from "@portico/upstream/belongings/Kind"
import { Effect } from "effect"

/** A project's alarms. An alarm may be removed while it is evaluated: its events are then no longer published. */
export const alarmsOfProjects = Effect.map(Alarms, ({ list, remove }): Kind => ({
  service: "monitoring",
  name: "alarms",
  list: (projectId) =>
    Effect.map(list(projectId), (found) =>
      found.map(({ alarm_id, name }) => ({ id: alarm_id, name, busy: false, guarded: undefined, weight: 1 }))
    ),
  remove: (projectId, id) => Effect.asVoid(remove(projectId, id))
}))
