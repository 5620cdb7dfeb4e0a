import { AutoscalingGroups } from "@portico/store/AutoscalingGroups"
import type { Kind } from "@portico/upstream/belongings/Kind"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"

/**
 * A project's autoscaling groups. Removing a group's row stops the creation of servers; Nova lists
 * the servers themselves. The removal fails while a process works on the group, so no server
 * appears afterwards.
 */
export const groupsOfProjects = Effect.map(AutoscalingGroups, ({ list, removeIdle }): Kind => ({
  service: "autoscaling",
  name: "groups",
  list: (projectId) =>
    Effect.map(list(projectId), (found) =>
      found.map(({ group_id, name }) => ({ id: group_id, name, busy: false, guarded: undefined, weight: 1 }))
    ),
  remove: Effect.fnUntraced(function* (projectId, id) {
    if (yield* removeIdle(projectId, id)) return
    const words = "a process is at work on the group"
    return yield* new UpstreamError({ upstream: "portico", call: "remove groups", status: 409, words })
  })
}))
