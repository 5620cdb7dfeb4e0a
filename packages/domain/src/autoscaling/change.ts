import type { Caller } from "@portico/contract/Access"
import type { GroupChange } from "@portico/contract/Autoscaling"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { AutoscalingGroups, type GroupEntry, type GroupWish } from "@portico/store/AutoscalingGroups"
import { Effect } from "effect"
import { notSuspended } from "../limits/tenantTier.ts"
import { roomForServers } from "./create.ts"
import { ownGroup, toWire } from "./read.ts"
import { checkedTemplate, mayGrow } from "./template.ts"

/** The attempts under concurrent changes. */
const mostTries = 8

/**
 * Changes the desired state of a group, based on its current one. It retries when a concurrent
 * change, such as an alarm or another member, comes first.
 *
 * @param to undefined when there is nothing to change
 *
 * Errors: 404; 409 when concurrent changes win every attempt.
 */
export const changeGroup = Effect.fnUntraced(function* <E, R>(
  projectId: string,
  groupId: string,
  to: (entry: GroupEntry) => Effect.Effect<GroupWish | undefined, E, R>
) {
  const groups = yield* AutoscalingGroups
  for (let tries = 0; tries < mostTries; tries++) {
    const entry = yield* ownGroup(projectId, groupId)
    const wish = yield* to(entry)
    if (wish === undefined) return entry
    const changed = yield* groups.change(entry, wish)
    if (changed !== undefined) return changed
  }
  return yield* Conflict.concurrentChange("the autoscaling group")
})

/** Errors: 409. */
export const notDeleting = (entry: GroupEntry) =>
  entry.deleting ? Conflict.autoscalingDeleting(entry.group_id) : Effect.void

/**
 * Changes a group. A new template applies to new servers; existing servers stay as they are. If an
 * error kept the group from its desired number, the group tries again at once, unless a server may
 * still result from the last attempt.
 *
 * Errors: 403 for growth in a suspended tenant, and for growth that {@link mayGrow} refuses; 404; 409
 * for a group that is being deleted, and for the tier's ceiling when `max` grows; 422 for numbers out of order, and for a template that names
 * something that does not exist; 502; 503 when the tier cannot be read.
 */
export const updateGroup = Effect.fn("autoscaling.update")(function* (
  caller: Pick<Caller, "denies">,
  projectId: string,
  groupId: string,
  change: GroupChange
) {
  const before = yield* ownGroup(projectId, groupId)
  yield* notDeleting(before)
  if (change.max !== undefined && change.max > before.max) {
    yield* notSuspended(projectId)
    yield* roomForServers(projectId, change.max)
  }
  const template =
    change.template === undefined ? undefined : yield* checkedTemplate(caller, projectId, change.template)

  const changed = yield* changeGroup(
    projectId,
    groupId,
    Effect.fnUntraced(function* (entry) {
      yield* notDeleting(entry)
      const { desired, max, min } = yield* rangeOf(entry, change)
      if (desired > entry.desired || max > entry.max) yield* notSuspended(projectId)
      const grows = desired > entry.desired || max > entry.max || change.policies !== undefined
      if (grows && template === undefined) yield* mayGrow(caller, projectId, entry.template)
      return {
        min,
        max,
        desired,
        ...(template === undefined ? {} : { template }),
        ...(change.cooldown_seconds === undefined ? {} : { cooldown_seconds: change.cooldown_seconds }),
        ...(change.policies === undefined ? {} : { policies: change.policies }),
        state: "scaling",
        reason: null,
        errors: 0,
        failures: 0
      } satisfies GroupWish
    })
  )
  return toWire(changed)
})

/** Fields that are not given stay, except the desired number, which is clamped into the new range. */
const rangeOf = Effect.fnUntraced(function* (entry: GroupEntry, change: GroupChange) {
  const { max = entry.max, min = entry.min } = change
  const desired = change.desired ?? Math.min(Math.max(entry.desired, min), max)
  if (min > desired || desired > max) return yield* Unprocessable.autoscalingRange(min, desired, max)
  return { min, desired, max }
})

/**
 * Deletes a group: a background task first deletes its servers, newest first, and then the group.
 * Repeatable while the group exists.
 *
 * Errors: 404, 409.
 */
export const removeGroup = Effect.fn("autoscaling.remove")(function* (projectId: string, groupId: string) {
  const removed = yield* changeGroup(projectId, groupId, (entry) =>
    Effect.succeed(entry.deleting ? undefined : { deleting: true, state: "deleting", reason: null, failures: 0 })
  )
  return toWire(removed)
})
