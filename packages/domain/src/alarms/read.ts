import type { Alarm } from "@portico/contract/Alarms"
import type { AlarmState } from "@portico/contract/Autoscaling"
import { NotFound } from "@portico/contract/Failures"
import { type AlarmEntry, Alarms } from "@portico/store/Alarms"
import { DateTime, Effect } from "effect"
import { isoOrNull } from "../isoOrNull.ts"

/** A tenant's alarms, oldest first, as of their last evaluation; with a state, those in that state alone. */
export const listAlarms = Effect.fn("alarms.list")(function* (projectId: string, state: AlarmState | undefined) {
  const alarms = (yield* (yield* Alarms).list(projectId))
    .filter((_) => state === undefined || _.state === state)
    .map(toWire)
  return { count: alarms.length, alarms }
})

/** Errors: 404 alike for another tenant's alarm, an unknown one and a malformed id. */
export const showAlarm = Effect.fn("alarms.show")(function* (projectId: string, alarmId: string) {
  return toWire((yield* (yield* Alarms).find(projectId, alarmId)) ?? (yield* NotFound.alarm(alarmId)))
})

/** An alarm as its tenant sees it. */
export const toWire = (entry: AlarmEntry): Alarm => ({
  alarm_id: entry.alarm_id,
  name: entry.name,
  description: entry.description,
  severity: entry.severity,
  enabled: entry.enabled,
  rule: entry.rule,
  state: entry.state,
  reason: entry.reason,
  last_transition_at: isoOrNull(entry.last_transition_at),
  evaluated_at: isoOrNull(entry.evaluated_at),
  created_at: DateTime.formatIso(entry.created_at)
})
