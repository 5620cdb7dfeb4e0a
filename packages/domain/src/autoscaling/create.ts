import type { Caller } from "@portico/contract/Access"
import type { GroupCreate } from "@portico/contract/Autoscaling"
import { Conflict } from "@portico/contract/Failures"
import { AutoscalingGroups } from "@portico/store/AutoscalingGroups"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { exclusively } from "../exclusively.ts"
import { roomForGroup, roomForServers } from "./limits.ts"
import { groupRecord } from "./record.ts"
import { checkedTemplate } from "./template.ts"

const defaultCooldown = 300

const busy = () => Conflict.concurrentChange("the tenant's autoscaling groups")

/**
 * Creates a group. A background task creates its servers step by step, and the first step is due at
 * once.
 *
 * Errors: 409 for a name that the tenant uses already, and for ceilings, with the numbers; 422 for
 * a template that names something that does not exist; 502; 503 when the tier cannot be read.
 */
export const createGroup = Effect.fn("autoscaling.create")(function* (
  caller: Caller,
  projectId: string,
  request: GroupCreate
) {
  yield* roomForServers(projectId, request.max)
  const template = yield* checkedTemplate(projectId, request.template)
  const groups = yield* AutoscalingGroups

  const insert = Effect.gen(function* () {
    yield* roomForGroup(projectId, (yield* groups.list(projectId)).length)
    return yield* groups.insert({
      group_id: `asg-${randomUUID().replaceAll("-", "").slice(0, 12)}`,
      project_id: projectId,
      name: request.name,
      min: request.min,
      max: request.max,
      desired: request.desired ?? request.min,
      template,
      cooldown_seconds: request.cooldown_seconds ?? defaultCooldown,
      policies: request.policies ?? [],
      created_by: caller.userId
    })
  })
  const entry = yield* exclusively(`autoscaling/${projectId}`, busy)(insert)
  return groupRecord(entry ?? (yield* Conflict.autoscalingName(request.name)))
})
