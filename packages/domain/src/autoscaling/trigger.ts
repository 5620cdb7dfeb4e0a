import type { Caller } from "@portico/contract/Access"
import type { AlarmState, ScalingPolicy, Triggered } from "@portico/contract/Autoscaling"
import { NotFound } from "@portico/contract/Failures"
import { AutoscalingGroups, type GroupEntry, type GroupWish } from "@portico/store/AutoscalingGroups"
import { Tenants } from "@portico/store/Tenants"
import { Clock, DateTime, Effect } from "effect"
import { notSuspended } from "../limits/tenantTier.ts"
import { changeGroup, notDeleting } from "./change.ts"
import { toWire } from "./read.ts"
import { mayGrow } from "./template.ts"

/**
 * Applies a policy once, as an alarm's action would.
 *
 * Errors: 403 for a step up in a suspended tenant, and those of {@link mayGrow} for any step up; 404
 * for the group or the policy; 409 for a group that is being deleted.
 */
export const triggerPolicy = Effect.fn("autoscaling.trigger")(function* (
  caller: Pick<Caller, "denies">,
  projectId: string,
  groupId: string,
  name: string
) {
  const now = yield* Clock.currentTimeMillis
  let outcome: Outcome = { reason: "at_limit" }
  const entry = yield* changeGroup(
    projectId,
    groupId,
    Effect.fnUntraced(function* (entry) {
      const policy = entry.policies.find((_) => _.name === name)
      if (policy === undefined) return yield* NotFound.autoscalingPolicy(name)
      yield* notDeleting(entry)
      outcome = scaled(entry, policy, now)
      if ("wish" in outcome && outcome.wish.desired > entry.desired) {
        yield* notSuspended(projectId)
        yield* mayGrow(caller, projectId, entry.template)
      }
      return "wish" in outcome ? outcome.wish : undefined
    })
  )
  return {
    applied: "wish" in outcome,
    reason: "reason" in outcome ? outcome.reason : null,
    group: toWire(entry)
  } satisfies Triggered
})

/** The state of a tenant's alarm. */
export interface Alarm {
  readonly projectId: string
  readonly alarmId: string
  readonly state: AlarmState
}

/**
 * Applies the policies of the tenant's groups for an alarm's new state. A repeated call changes
 * nothing, because only a state other than the last one counts. For an alarm that the group has no
 * state of, `ok` is not a change. A policy in its cooldown is skipped until the alarm changes
 * again.
 *
 * It does nothing in a tenant that is being deleted, closed or suspended. A suspended tenant keeps
 * its servers, because a step down could not be undone.
 */
export const onAlarm = Effect.fn("autoscaling.onAlarm")(function* (alarm: Alarm) {
  const tenant = yield* (yield* Tenants).find(alarm.projectId)
  if (tenant !== undefined && (tenant.closing.length > 0 || tenant.suspended)) return
  const concerned = (yield* (yield* AutoscalingGroups).list(alarm.projectId)).filter(
    (_) => !_.deleting && _.policies.some((policy) => policy.alarm_id === alarm.alarmId)
  )
  yield* Effect.forEach(concerned, (_) => applyAlarm(_, alarm), { discard: true })
})

const applyAlarm = Effect.fnUntraced(function* (group: GroupEntry, alarm: Alarm) {
  const groups = yield* AutoscalingGroups
  const now = yield* Clock.currentTimeMillis
  let entry: GroupEntry | undefined = group
  while (entry !== undefined && !entry.deleting) {
    const current: GroupEntry = entry
    if (stateOf(current, alarm.alarmId) === alarm.state) return
    const alarms = alarmStates(current, alarm)
    const wish = wishOf(current, alarm, now)
    const done = yield* wish === undefined ? groups.hear(current, alarms) : groups.change(current, { ...wish, alarms })
    if (done !== undefined) return
    // A concurrent change came first; it may have applied the same state.
    entry = yield* groups.find(current.project_id, current.group_id)
  }
})

const stateOf = ({ alarms }: GroupEntry, alarmId: string): AlarmState =>
  Object.hasOwn(alarms, alarmId) ? (alarms[alarmId] ?? "ok") : "ok"

/** The states of the group's alarms, without those that no policy names any more. */
const alarmStates = ({ alarms, policies }: GroupEntry, { alarmId, state }: Alarm): GroupEntry["alarms"] => {
  const named = new Set(policies.map((_) => _.alarm_id))
  return Object.fromEntries([...Object.entries(alarms).filter(([id]) => named.has(id)), [alarmId, state]])
}

/** The first policy that may act. */
const wishOf = (entry: GroupEntry, { alarmId, state }: Alarm, now: number): GroupWish | undefined => {
  for (const policy of entry.policies) {
    if (policy.alarm_id !== alarmId || (policy.on ?? "alarm") !== state) continue
    const outcome = scaled(entry, policy, now)
    if ("wish" in outcome) return outcome.wish
  }
  return undefined
}

type Outcome =
  | { readonly wish: GroupWish & { readonly desired: number } }
  | { readonly reason: NonNullable<Triggered["reason"]> }

const scaled = (entry: GroupEntry, policy: ScalingPolicy, now: number): Outcome => {
  const { cooldown_until, desired, max, min } = entry
  if (cooldown_until !== null && DateTime.toEpochMillis(cooldown_until) > now) return { reason: "cooldown" }
  const next = Math.min(Math.max(desired + policy.adjustment, min), max)
  if (next === desired) return { reason: "at_limit" }
  const seconds = policy.cooldown_seconds ?? entry.cooldown_seconds
  return { wish: { desired: next, cooldown_until: DateTime.makeUnsafe(now + seconds * 1000) } }
}
