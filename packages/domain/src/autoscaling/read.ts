import type { AutoscalingGroup } from "@portico/contract/Autoscaling"
import { NotFound } from "@portico/contract/Failures"
import { AutoscalingGroups, type GroupEntry } from "@portico/store/AutoscalingGroups"
import { DateTime, Effect } from "effect"
import { isoOrNull } from "../isoOrNull.ts"

/** A tenant's groups, oldest first, as last observed. */
export const listGroups = Effect.fn("autoscaling.list")(function* (projectId: string) {
  const groups = (yield* (yield* AutoscalingGroups).list(projectId)).map(toWire)
  return { count: groups.length, groups }
})

/** Errors: 404 alike for another tenant's group, an unknown one and a malformed id. */
export const showGroup = Effect.fn("autoscaling.show")(function* (projectId: string, groupId: string) {
  return toWire(yield* ownGroup(projectId, groupId))
})

export const ownGroup = Effect.fnUntraced(function* (projectId: string, groupId: string) {
  return (yield* (yield* AutoscalingGroups).find(projectId, groupId)) ?? (yield* NotFound.autoscalingGroup(groupId))
})

/** A group as its tenant sees it, without the user data of its servers. */
export const toWire = (entry: GroupEntry): AutoscalingGroup => {
  const { user_data, ...template } = entry.template
  return {
    group_id: entry.group_id,
    name: entry.name,
    min: entry.min,
    max: entry.max,
    desired: entry.desired,
    template: { ...template, has_user_data: user_data !== undefined },
    cooldown_seconds: entry.cooldown_seconds,
    cooldown_until: isoOrNull(entry.cooldown_until),
    policies: entry.policies,
    state: entry.deleting ? "deleting" : entry.state,
    reason: entry.reason,
    servers: entry.members.flatMap(({ leaving, server_id, status }) =>
      server_id === null ? [] : [{ server_id, status, leaving: leaving !== null }]
    ),
    observed_at: isoOrNull(entry.observed_at),
    created_at: DateTime.formatIso(entry.created_at)
  }
}
