import { NotFound } from "@portico/contract/Failures"
import { AutoscalingGroups } from "@portico/store/AutoscalingGroups"
import { Effect } from "effect"
import { groupRecord } from "./record.ts"

/** A tenant's groups, oldest first, as last observed. */
export const listGroups = Effect.fn("autoscaling.list")(function* (projectId: string) {
  const groups = (yield* (yield* AutoscalingGroups).list(projectId)).map(groupRecord)
  return { count: groups.length, groups }
})

/** Errors: 404 alike for another tenant's group, an unknown one and a malformed id. */
export const showGroup = Effect.fn("autoscaling.show")(function* (projectId: string, groupId: string) {
  return groupRecord(yield* ownGroup(projectId, groupId))
})

export const ownGroup = Effect.fnUntraced(function* (projectId: string, groupId: string) {
  return (yield* (yield* AutoscalingGroups).find(projectId, groupId)) ?? (yield* NotFound.autoscalingGroup(groupId))
})
