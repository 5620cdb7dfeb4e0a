import type { Caller } from "@portico/contract/Access"
import type { GroupCreate } from "@portico/contract/Autoscaling"
import { Conflict } from "@portico/contract/Failures"
import { tiers } from "@portico/contract/Tiers"
import { AutoscalingGroups } from "@portico/store/AutoscalingGroups"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { tierOf } from "../limits/tenantTier.ts"
import { exclusively } from "../work/exclusively.ts"
import { toWire } from "./read.ts"
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
  const template = yield* checkedTemplate(caller, projectId, request.template)
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
  return toWire(entry ?? (yield* Conflict.autoscalingName(request.name)))
})

/** The most groups of a tenant: each is reconciled periodically. */
export const mostGroups = 20

/**
 * A group may want as many servers as the tier allows in total; Nova's quota decides what the
 * tenant's other servers leave of it.
 */
const ceilings = Effect.fnUntraced(function* (projectId: string) {
  const { suspended, tier } = yield* tierOf(projectId)
  return suspended ? { groups: 0, servers: 0 } : { groups: mostGroups, servers: tiers[tier].instances }
})

/**
 * Errors: 409 with the numbers; 404 and 503 as for the tier.
 *
 * @param held the current number of groups
 */
export const roomForGroup = Effect.fnUntraced(function* (projectId: string, held: number) {
  const { groups } = yield* ceilings(projectId)
  if (held + 1 > groups) {
    return yield* Conflict.ceilingReached("autoscaling groups", "", { requested: 1, used: held, limit: groups })
  }
})

/** Errors: 409 with the numbers; 404 and 503 as for the tier. */
export const roomForServers = Effect.fnUntraced(function* (projectId: string, max: number) {
  const { servers } = yield* ceilings(projectId)
  if (max > servers) {
    const numbers = { requested: max, used: 0, limit: servers }
    return yield* Conflict.ceilingReached("servers of one autoscaling group", "", numbers)
  }
})
