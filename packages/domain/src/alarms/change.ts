import type { Caller } from "@portico/contract/Access"
import type { AlarmChange, AlarmCreate, AlarmRule, AlarmRuleRequest } from "@portico/contract/Alarms"
import { Conflict, NotFound } from "@portico/contract/Failures"
import { Alarms, type NewAlarm } from "@portico/store/Alarms"
import { AutoscalingGroups } from "@portico/store/AutoscalingGroups"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { exclusively } from "../work/exclusively.ts"
import { ownGroup } from "../autoscaling/read.ts"
import { mayGrow } from "../autoscaling/template.ts"
import { ownInstance } from "../metrics/instance.ts"
import { monitoringService } from "../metrics/monitoring.ts"
import { tierOf } from "../limits/tenantTier.ts"
import { toWire } from "./read.ts"

/** The most alarms of a tenant: each is evaluated periodically. */
export const mostAlarms = 100

/** The reason of an alarm before its first evaluation. */
export const notEvaluated = "Not evaluated yet"

const busy = () => Conflict.concurrentChange("the tenant's alarms")

/**
 * Makes an alarm. A background task evaluates it within seconds.
 *
 * Errors: 404 for an instance or a group that is not the tenant's, and on a cloud without
 * monitoring; 409 at the ceiling, with the numbers; 502; 503 when the tier cannot be read.
 */
export const createAlarm = Effect.fn("alarms.create")(function* (
  caller: Caller,
  projectId: string,
  request: AlarmCreate
) {
  yield* monitoringService
  const rule = yield* checkedRule(projectId, request.rule)
  const { suspended } = yield* tierOf(projectId)
  const alarms = yield* Alarms
  const limit = suspended ? 0 : mostAlarms

  const insert = Effect.gen(function* () {
    const used = (yield* alarms.list(projectId)).length
    if (used + 1 > limit) return yield* Conflict.ceilingReached("alarms", "", { requested: 1, used, limit })
    return yield* alarms.insert({
      alarm_id: `alm-${randomUUID().replaceAll("-", "").slice(0, 12)}`,
      project_id: projectId,
      name: request.name,
      description: request.description ?? null,
      severity: request.severity ?? "low",
      enabled: request.enabled ?? true,
      rule,
      state: "insufficient_data",
      reason: notEvaluated,
      created_by: caller.userId
    } satisfies NewAlarm)
  })
  const entry = yield* exclusively(`alarms/${projectId}`, busy)(insert)
  return toWire(entry)
})

/**
 * Changes the given fields. The state stays until the next evaluation, which is due at once.
 *
 * Errors: 403 and 422 of {@link mayGrow}, for each group that scales by the alarm, unless the state stays as it is; 404
 * as for {@link createAlarm}, and for the alarm; 502.
 */
export const updateAlarm = Effect.fn("alarms.update")(function* (
  caller: Pick<Caller, "denies">,
  projectId: string,
  alarmId: string,
  { rule, ...change }: AlarmChange
) {
  const alarms = yield* Alarms
  if ((yield* alarms.find(projectId, alarmId)) === undefined) return yield* NotFound.alarm(alarmId)
  if (rule !== undefined || change.enabled !== undefined) yield* mayScale(caller, projectId, alarmId)
  const wish = { ...change, ...(rule === undefined ? {} : { rule: yield* checkedRule(projectId, rule) }) }
  return toWire((yield* alarms.change(projectId, alarmId, wish)) ?? (yield* NotFound.alarm(alarmId)))
})

/** Whether the caller may make the groups grow that scale by an alarm. */
const mayScale = Effect.fnUntraced(function* (caller: Pick<Caller, "denies">, projectId: string, alarmId: string) {
  const groups = yield* (yield* AutoscalingGroups).list(projectId)
  const scaled = groups.filter((_) => _.policies.some((policy) => policy.alarm_id === alarmId))
  yield* Effect.forEach(scaled, (_) => mayGrow(caller, projectId, _.template), { discard: true })
})

/** Errors: 404 alike for another tenant's alarm, an unknown one, a malformed id and one that is removed already. */
export const removeAlarm = Effect.fn("alarms.remove")(function* (projectId: string, alarmId: string) {
  return toWire((yield* (yield* Alarms).remove(projectId, alarmId)) ?? (yield* NotFound.alarm(alarmId)))
})

/** The rule with its defaults. 404 when its instance or group is not the tenant's. */
const checkedRule = Effect.fnUntraced(function* (projectId: string, request: AlarmRuleRequest) {
  if (request.instance_id !== undefined) yield* ownInstance(projectId, request.instance_id)
  if (request.group_id !== undefined) yield* ownGroup(projectId, request.group_id)
  return { period_seconds: 60, evaluation_periods: 1, ...request } satisfies AlarmRule
})
